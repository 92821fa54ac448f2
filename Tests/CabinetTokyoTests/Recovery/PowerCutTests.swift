import CabinetBackend
import Foundation
import Testing

@testable import CabinetTokyo

/// A disk as a recording tells it: what was written, and what of it a power cut cannot take.
private struct Disk {
    private var written: [Int: [UInt8]] = [:]
    private var durable: [Int: [UInt8]] = [:]
    private var names: [String: Int] = [:]
    private var durableNames: [String: Int] = [:]
    /// The last write, while nothing has been synced after it.
    private var latest: (file: Int, offset: Int, bytes: [UInt8])?

    mutating func apply(_ event: RecordingFiles.Event) {
        switch event {
        case .open(let file, let path, let created, let emptied):
            names[path] = file
            if created || emptied { written[file] = [] }
        case .write(let file, let offset, let bytes):
            latest = (file, Int(offset), bytes)
            Self.put(bytes, at: Int(offset), in: &written[file, default: []])
        case .truncate(let file, let size):
            let old = written[file] ?? []
            written[file] = Array(old.prefix(Int(size)))
            Self.grow(&written[file, default: []], to: Int(size))
        case .reserve(let file, let size):
            Self.grow(&written[file, default: []], to: Int(size))
        case .sync(let file):
            durable[file] = written[file]
            if latest?.file == file { latest = nil }
        case .rename(let path, let newPath):
            names[newPath] = names.removeValue(forKey: path)
        case .remove(let path): names[path] = nil
        case .syncDirectory(let path):
            let inside = { (name: String) in
                name.hasPrefix(path + "/") && !name.dropFirst(path.count + 1).contains("/")
            }
            durableNames = durableNames.filter { !inside($0.key) }
            for (name, file) in names where inside(name) { durableNames[name] = file }
        case .makeDirectory, .removeDirectory, .note: break
        }
    }

    private static func put(_ bytes: [UInt8], at offset: Int, in file: inout [UInt8]) {
        grow(&file, to: offset + bytes.count)
        file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    private static func grow(_ file: inout [UInt8], to size: Int) {
        if file.count < size { file += repeatElement(0, count: size - file.count) }
    }

    enum Loss: CaseIterable {
        case everythingThatMay, contentsOnly, namesOnly, nothing, halfOfTheLastWrite
    }

    /// The files after a cut, by path. Views are left out: they may be anything, and are gone.
    func files(after loss: Loss) -> [String: [UInt8]] {
        let keepsNames = loss == .contentsOnly || loss == .nothing || loss == .halfOfTheLastWrite
        let keepsContents = loss == .namesOnly || loss == .nothing
        var result: [String: [UInt8]] = [:]
        for (path, file) in keepsNames ? names : durableNames {
            let name = path.split(separator: "/").last ?? ""
            guard name.hasPrefix("log") || name.hasPrefix("snapshot") || name == "Clean" else {
                continue
            }
            var content = (keepsContents ? written[file] : durable[file]) ?? []
            if loss == .halfOfTheLastWrite, let latest, latest.file == file {
                let half = latest.bytes.count / 2 / 512 * 512
                Self.put(Array(latest.bytes.prefix(half)), at: latest.offset, in: &content)
            }
            result[path] = content
        }
        return result
    }
}

struct PowerCutTests {
    let directory = TemporaryDirectory(inMemory: true)

    private func save(_ number: RowID, _ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        if try backend.tables().isEmpty { try batch.define(.song) }
        let text = String(repeating: "save \(number) ", count: 100)
        for row in 2..<6 as Range<RowID> { try batch.put(text, at: row, in: 2) }
        try batch.put("\(number)", forKey: "total", in: .namedBuffers)
        try backend.commit(batch)
    }

    private func state(_ backend: TokyoBackend) throws -> RowID {
        let total = try backend.text(forKey: "total", in: .namedBuffers).flatMap(RowID.init) ?? 0
        let text = String(repeating: "save \(total) ", count: 100)
        for row in 2..<6 as Range<RowID> where total > 0 {
            #expect(try backend.text(at: row, in: 2) == text)
        }
        return total
    }

    /// Saves, syncs, compacts, closes and opens again, noting what was acknowledged.
    private func record(_ durability: Durability) throws -> [RecordingFiles.Event] {
        let files = RecordingFiles()
        let place = directory.file("Music")
        for round in 0..<2 as Range<RowID> {
            let backend = try TokyoBackend(path: place, durability: durability, files: files)
            for number in 1...3 as ClosedRange<RowID> {
                try save(round * 4 + number, backend)
                files.note("saved \(round * 4 + number)")
            }
            try backend.sync()
            files.note("synced \(round * 4 + 3)")
            try backend.compact()
            try save(round * 4 + 4, backend)
            files.note("saved \(round * 4 + 4)")
            try backend.close()
            files.note("synced \(round * 4 + 4)")
        }
        return files.events
    }

    @Test(arguments: [Durability.full, .process])
    func everyDiskThatAPowerCutLeavesHasAWholePrefixOfSaves(_ durability: Durability) throws {
        let events = try record(durability)
        let place = directory.file("Music")
        try FileManager.default.removeItem(atPath: place)
        var disk = Disk()
        var (saved, synced): (RowID, RowID) = (0, 0)
        var states = 0
        var seen: [Disk.Loss: [String: [UInt8]]] = [:]
        for event in events {
            disk.apply(event)
            if case .note(let text) = event, let number = RowID(text.split(separator: " ")[1]) {
                saved = max(saved, number)
                if durability == .full || text.hasPrefix("synced") { synced = number }
                seen = [:]
            }
            for loss in Disk.Loss.allCases {
                let files = disk.files(after: loss)
                // A disk that was just seen, and had to show no less, shows the same again.
                guard seen.updateValue(files, forKey: loss) != files else { continue }
                try FileManager.default.createDirectory(
                    atPath: place + "/Journal", withIntermediateDirectories: true)
                for (path, bytes) in files {
                    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
                }
                let backend = try TokyoBackend(path: place)
                let found = try state(backend)
                #expect(found >= synced && found <= saved + 1, "\(loss) after \(event)")
                try backend.close()
                try FileManager.default.removeItem(atPath: place)
                states += 1
            }
        }
        #expect(states > 250)
    }
}
