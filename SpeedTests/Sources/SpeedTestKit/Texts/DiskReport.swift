import Foundation

/// What stores take up on disk.
enum DiskReport {
    /// Prints the files of a store that `test` makes, by engine.
    static func print(_ test: SpeedTest, _ objects: Int, _ workshop: Workshop) throws {
        for engine in test.engines {
            let place = try workshop.make(test, engine, objects: objects)
            defer { try? FileManager.default.removeItem(atPath: place) }
            let files = sizes(in: place)
            guard engine == .cabinet else {
                Swift.print("\(test.name), sqlite: \(size(files) { _ in true })")
                continue
            }
            let views = size(files) { !$0.hasPrefix("Journal/") || $0 == "Journal/Catalog" }
            let log = size(files) { $0.hasPrefix("Journal/log-") }
            let snapshot = size(files) { $0.hasPrefix("Journal/snapshot-") }
            let runs = size(files) { $0.hasSuffix(".run") }
            Swift.print(
                "\(test.name), cabinet: views and runs \(views) (runs \(runs)); log \(log), "
                    + "snapshot \(snapshot)")
        }
    }

    private static func size(_ files: [String: UInt64], _ counts: (String) -> Bool) -> String {
        Terminal.size(files.reduce(0) { counts($1.key) ? $0 + $1.value : $0 })
    }

    /// The files below a directory, and the bytes of each.
    private static func sizes(in directory: String) -> [String: UInt64] {
        var sizes: [String: UInt64] = [:]
        for case let file as String in FileManager.default.enumerator(atPath: directory) ?? .init()
        {
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: directory + "/" + file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
            sizes[file] = (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
        }
        return sizes
    }
}
