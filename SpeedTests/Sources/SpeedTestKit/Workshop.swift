import Foundation

/// Where measurements are made: each in a process of its own, so that neither memory nor warmth
/// goes from one to the next, on stores in a directory that goes in the end.
final class Workshop {
    private let directory: String
    /// Where the texts of full-text search are; `nil` for titles.
    private let corpus: String?
    /// The directories whose store is ready.
    private var prepared: Set<String> = []

    init(in directory: String, corpus: String? = nil) throws {
        self.corpus = corpus
        self.directory = directory + "/cabinet-speed-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(
            atPath: self.directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func measure(_ test: SpeedTest, _ engine: Engine, objects: Int) throws -> Measurement {
        let place = try place(for: test, engine, objects)
        if engine != .memory, test.preparation != nil, prepared.insert(place).inserted {
            _ = try send(.prepare, test, engine, objects, place)
        }
        defer { if test.stock == nil { remove(place) } }
        let answer = try send(.measure, test, engine, objects, place)
        return try JSONDecoder().decode(Measurement.self, from: answer)
    }

    /// Has a test without a preparation make a store, and gives its directory.
    func make(_ test: SpeedTest, _ engine: Engine, objects: Int) throws -> String {
        let place = try place(for: test, engine, objects)
        _ = try send(.measure, test, engine, objects, place)
        return place
    }

    /// Removes the stores that hold `objects` objects.
    func clear(objects: Int) {
        for place in prepared where place.hasSuffix("-\(objects)") { remove(place) }
    }

    /// Tests that keep their store share it with others that need the same.
    private func place(
        for test: SpeedTest, _ engine: Engine, _ objects: Int
    ) throws -> String {
        let place = "\(directory)/\(engine)-\(test.stock ?? "work")-\(objects)"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        return place
    }

    private func remove(_ place: String) {
        prepared.remove(place)
        try? FileManager.default.removeItem(atPath: place)
    }

    /// Has another process of this program do something, and gives what it printed.
    private func send(
        _ errand: Options.Errand, _ test: SpeedTest, _ engine: Engine, _ objects: Int,
        _ place: String
    ) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [
            "--errand", errand.rawValue, "--test", test.name, "--engine", engine.rawValue,
            "--objects", "\(objects)", "--directory", place,
        ]
        if let corpus { process.arguments?.append(contentsOf: ["--corpus", corpus]) }
        process.standardOutput = output
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw SpeedTestError.childFailed(process.arguments?.joined(separator: " ") ?? "")
        }
        return answer
    }
}

extension Options {
    /// Does what another process of this program asks for.
    func run(_ errand: Errand) throws {
        let test = try SpeedTest.named(only.first ?? "")
        let job = test.job(objects: objects ?? Self.usualObjects, in: directory)
        switch errand {
        case .prepare: try test.prepare(engine, job)
        case .measure:
            let measurement = try test.measure(engine, job)
            print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
        }
    }
}
