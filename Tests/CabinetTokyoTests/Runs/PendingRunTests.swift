import CabinetBackend
import Dispatch
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// After an orderly close a run's file is opened at its first use, and what is wrong with it is
/// found then.
struct PendingRunTests {
    let store = ToolStore()
    private let messages = Messages()
    private static let rows = Array(RowID(2)..<12) + Array(RowID(20)..<30)
    private static var titles: [String] { rows.map { "title \($0)" }.sorted() }

    private func open(_ access: Access = .readWrite) throws -> TokyoBackend {
        let messages = messages
        return try TokyoBackend(
            path: store.path, access: access,
            log: LogSink { if $0 >= .warning { messages.add($1) } })
    }

    private func isOpen(_ backend: TokyoBackend) throws -> Bool {
        let view = try #require(backend.table(3)?.orderedView)
        return view.layers.contains { $0.run != nil }
    }

    private func path() throws -> String {
        store.path + "/" + (try #require(runNames(in: store.path).first))
    }

    enum Use: CaseIterable { case count, find, walk, rank, position, range, frozen }

    private static func use(_ backend: TokyoBackend, _ use: Use) throws {
        switch use {
        case .count: #expect(try backend.count(of: 3) == rows.count)
        case .find:
            let buffer = DataBuffer()
            let isThere = try Array("title 7".utf8).withBytes { (key) throws(BackendError) in
                try backend.value(forKey: key, in: 3, into: buffer)
            }
            #expect(isThere)
        case .walk: #expect(try backend.keys(in: 3) == titles)
        case .rank:
            let rank = try Array("title 9".utf8).withBytes { (key) throws(BackendError) in
                try backend.rank(of: key, in: 3)
            }
            #expect(rank == rows.count - 1)
        case .position:
            #expect(try backend.key(at: 0, in: 3) == Array("title 10".utf8))
        case .range:
            #expect(try backend.count(of: KeyRange(prefix: Array("title 2".utf8)), in: 3) == 11)
        case .frozen:
            let reader = try backend.snapshot()
            #expect(try reader.count(of: 3) == rows.count)
        }
    }

    @Test(arguments: Use.allCases)
    func aRunIsOpenedAtItsFirstUse(_ first: Use) throws {
        try store.makeClosed()
        let backend = try open()
        #expect(try !isOpen(backend))
        try Self.use(backend, first)
        #expect(try isOpen(backend))
        try backend.close()
        #expect(messages.all == [])
    }

    @Test(arguments: Use.allCases, ["removed", "cut", "header", "footer"])
    func damageIsFoundAtTheFirstUseAndRepaired(_ first: Use, _ change: String) throws {
        for access in [Access.readOnly, .readWrite] {
            if access == .readOnly { try store.makeClosed() }
            let path = try path()
            let whole = try #require(FileManager.default.contents(atPath: path))
            let backend = try open(access)
            switch change {
            case "removed": try FileManager.default.removeItem(atPath: path)
            case "cut": try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
            case "header": try store.flip(path, 20)
            default: try store.flip(path, whole.count - 30)
            }
            #expect(messages.all == [])
            try Self.use(backend, first)
            #expect(messages.all.contains { $0.contains(path) }, "\(messages.all)")
            #expect(try backend.keys(in: 3) == Self.titles)
            #expect(try backend.count(of: 3) == Self.rows.count)
            try backend.close()
            if access == .readOnly { try whole.write(to: URL(fileURLWithPath: path)) }
            messages.clear()
        }
        let again = try open()
        #expect(try again.keys(in: 3) == Self.titles)
        try again.close()
        #expect(messages.all == [])
    }

    /// Keys are put without a look at what is below them.
    @Test(arguments: [false, true])
    func aTableThatWasOnlyWrittenIsWholeAfterClosing(_ isDamaged: Bool) throws {
        try store.makeClosed()
        let backend = try open()
        if isDamaged { try store.flip(try path(), 20) }
        let batch = backend.makeBatch()
        try batch.put("", forKey: "title new", in: 3)
        try backend.commit(batch)
        try backend.close()
        #expect(messages.all.isEmpty == !isDamaged, "\(messages.all)")
        messages.clear()
        let again = try open()
        #expect(try again.count(of: 3) == Self.rows.count + 1)
        #expect(try again.keys(in: 3) == (Self.titles + ["title new"]).sorted())
        try again.close()
        #expect(messages.all == [])
    }

    @Test func anUnusedTableClosesWithoutOpeningItsRuns() throws {
        try store.makeClosed()
        for _ in 0..<3 {
            let backend = try open()
            let batch = backend.makeBatch()
            try batch.put("song", at: 2, in: 2)
            try backend.commit(batch)
            let view = try #require(backend.table(3)?.orderedView)
            try backend.close()
            #expect(!view.layers.isEmpty && view.layers.allSatisfy { $0.run == nil })
        }
        let backend = try open()
        try Self.use(backend, .walk)
        try Self.use(backend, .count)
        try backend.close()
        #expect(messages.all == [])
    }

    @Test(arguments: [false, true])
    func aFrozenReaderReadsADroppedTableThatNobodyHadUsed(_ isDamaged: Bool) throws {
        try store.makeClosed()
        let backend = try open()
        let reader = try backend.snapshot()
        if isDamaged { try store.flip(try path(), 20) }
        let batch = backend.makeBatch()
        try batch.drop(3)
        try backend.commit(batch)
        #expect(runNames(in: store.path) == [])
        #expect(try reader.count(of: 3) == Self.rows.count)
        #expect(try reader.keys(in: 3) == Self.titles)
        try backend.close()
    }

    @Test func threadsMayUseARunForTheFirstTimeAtOnce() throws {
        try store.makeClosed()
        for _ in 0..<20 {
            let backend = try open()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                do {
                    try Self.use(backend, Use.allCases[thread])
                } catch {
                    Issue.record(error)
                }
            }
            try backend.close()
        }
        #expect(messages.all == [])
    }
}
