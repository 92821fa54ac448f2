import CLibrary
import CabinetBackend
import CabinetTokyo
import Foundation

/// A program that edits a document, saves it, saves it as the other of two files, and is killed.
///
/// Each edit writes its number, one more than the last, into one row. It says a line before and after all
/// that it does: `O` of opening, with the file and the number found, `e` and `E` of an edit with its number,
/// `s` and `S` of saving the file, `m` and `M` of moving to a file.
package struct DocumentKillWorker {
    package var directory: String
    package var seed: UInt64
    package var killPoint: KillPoint?

    package init(directory: String, seed: UInt64, killPoint: KillPoint?) {
        (self.directory, self.seed, self.killPoint) = (directory, seed, killPoint)
    }

    package var arguments: [String] {
        ["document", directory, String(seed), killPoint?.text ?? "-"]
    }

    package init?(arguments: [String]) {
        guard arguments.count == 4, arguments[0] == "document", let seed = UInt64(arguments[2])
        else { return nil }
        self.init(
            directory: arguments[1], seed: seed, killPoint: KillPoint(text: arguments[3]))
    }

    static let names = ["A", "B"]
    private static let table = TableNumber(2)

    /// Of a file, or in a package where the directory is called so.
    func path(_ name: String) -> String {
        let path = directory + "/" + name + ".cabinet"
        return directory.hasSuffix("/Packages") ? path + "/" + StoreFilePlace.contentName : path
    }
    private var working: String { directory + "/Working" }

    /// Does the work until the process is killed, or `steps` are done.
    package func work(steps: Int = 100_000, say: @escaping @Sendable (String) -> Void) throws {
        var random = SeededRandom(seed: seed)
        let directories = WorkingDirectories(
            working, files: FatalFiles(dyingAt: killPoint))
        // Only one file is in use; a killed program has left its directory.
        let left = try directories.paths.first
        var name = Self.names.first { path($0) == left } ?? "A"
        if left == nil, let newest = try newestFile() { name = newest }
        var options = WorkingStore.Options()
        options.durability = .process
        let opened = try WorkingStore.open(path(name), in: directories, options, log: .none)
        let document = opened.working
        guard opened.report == nil else { throw LedgerFailure("\(name) is damaged") }
        var number = try Self.number(in: document)
        say("O \(name) \(number) \(opened.unsaved == nil ? 0 : 1)")
        func edit() throws {
            say("e \(number + 1)")
            try Self.write(number + 1, to: document)
            number += 1
            say("E \(number)")
        }
        for _ in 0..<steps {
            switch random.below(8) {
            case 0...3: try edit()
            case 4, 5:
                say("s \(name)")
                try document.save(Self.metadata)
                say("S \(name)")
            case 6:
                // As autosave does: edits go on beside it.
                say("s \(name)")
                let failure = Guarded<String?>(nil)
                let thread = Thread { [name] in
                    do { try document.save(Self.metadata) } catch {
                        failure.withLock { $0 = "\(error)" }
                    }
                    say("S \(name)")
                    failure.withLock { $0 = $0 ?? "" }
                }
                thread.start()
                for _ in 0..<3 { try edit() }
                while failure.withLock({ $0 }) == nil { usleep(200) }
                if let text = failure.withLock({ $0 }), !text.isEmpty { throw LedgerFailure(text) }
            default:
                let other = name == "A" ? "B" : "A"
                say("m \(other)")
                try document.move(to: path(other), Self.metadata, overwriting: true)
                name = other
                say("M \(other)")
            }
        }
        try document.save(Self.metadata)
        try document.finish(discarding: false)
    }

    private static let metadata = Array("title".utf8)

    /// `nil`: there is none.
    private func newestFile() throws -> String? {
        try Self.names.filter { try saved($0) != nil }
            .max { try saved($0) ?? 0 < saved($1) ?? 0 }
    }

    /// The number in a file, read without its working directory; `nil`: there is no file.
    package func saved(_ name: String) throws -> Int? {
        guard try SystemFiles().status(of: path(name)) != nil else { return nil }
        var options = WorkingStore.Options()
        (options.creates, options.discards) = (false, true)
        let look = WorkingDirectories(directory + "/Look\(getpid())", files: SystemFiles())
        let opened = try WorkingStore.open(path(name), in: look, options, log: .none)
        defer { try? opened.working.finish(discarding: true) }
        guard opened.report == nil else { throw LedgerFailure("\(name) is damaged") }
        return try Self.number(in: opened.working)
    }

    private static func number(in document: WorkingStore) throws -> Int {
        let backend = document.backend
        guard try backend.tables().contains(where: { $0.number == table }) else { return 0 }
        let buffer = DataBuffer()
        guard try backend.value(of: 2, in: table, into: buffer) else { return 0 }
        return Int(try buffer.readUInt64())
    }

    private static func write(_ number: Int, to document: WorkingStore) throws {
        let batch = document.backend.makeBatch()
        if try !document.backend.tables().contains(where: { $0.number == table }) {
            try batch.define(TableDefinition(number: table, kind: .record, name: "Numbers"))
        }
        batch.beginRecord(2, in: table).writeUInt64(UInt64(number))
        try batch.endRecord()
        // Something to write for a while.
        for row in RowID(3)..<40 {
            let buffer = batch.beginRecord(row, in: table)
            for word in 0..<40 { buffer.writeUInt64(UInt64(number &* 31 &+ word)) }
            try batch.endRecord()
        }
        try document.backend.commit(batch)
    }
}
