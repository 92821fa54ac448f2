import CabinetBackend
import Testing

@testable import CabinetTokyo

/// Saves that make, outgrow, rename and drop views of every kind, and what the store holds after
/// each of them.
struct ViewScene {
    /// The number of the last save that was acknowledged.
    var acknowledged: RowID = 0
    static let last: RowID = 5

    private static func text(_ save: RowID) -> String {
        // Each save is four times the one before, so that files outgrow what is mapped of them.
        String(repeating: "save \(save) ", count: 4 << (2 * save.index))
    }

    private static func song(_ save: RowID) -> TableDefinition {
        var song = TableDefinition.song
        if save >= 3 { song.name = "Melody" }
        return song
    }

    /// Makes the next save.
    mutating func save(to backend: TokyoBackend) throws {
        let save = acknowledged.next
        let batch = backend.makeBatch()
        if save == 1 { try batch.define(.byTitle) }
        if save == 1 || save == 3 { try batch.define(Self.song(save)) }
        if save == 2 {
            try batch.define(TableDefinition(number: 4, kind: .record, name: "Other"))
            try batch.put("other", at: 2, in: 4)
        }
        if save == 4 { try batch.drop(4) }
        for row in 2..<8 as Range<RowID> { try batch.put(Self.text(save), at: row, in: 2) }
        try batch.put("\(save)", at: RowID(100).advanced(by: save.index), in: 2)
        try batch.put("\(save)", forKey: "total", in: .namedBuffers)
        try batch.put(Self.text(save), forKey: "key \(save)", in: 3)
        try backend.commit(batch)
        acknowledged = save
    }

    /// Throws if a view cannot be read, and records an issue if what is read is not what the last
    /// save has left.
    func check(_ backend: TokyoBackend) throws {
        guard acknowledged > 0 else { return }
        let total = try backend.text(forKey: "total", in: .namedBuffers)
        #expect(total == "\(acknowledged)")
        for row in 2..<8 as Range<RowID> {
            #expect(try backend.text(at: row, in: 2) == Self.text(acknowledged))
        }
        for save in 1...acknowledged {
            #expect(try backend.text(at: RowID(100).advanced(by: save.index), in: 2) == "\(save)")
        }
        #expect(try backend.count(of: 2) == 6 + acknowledged.index)
        #expect(try backend.keys(in: 3) == (1...acknowledged).map { "key \($0)" })
        #expect(try backend.text(forKey: "key 1", in: 3) == Self.text(1))
        let names = try backend.tables().map(\.name)
        #expect(names.contains(Self.song(acknowledged).name))
        #expect(names.contains("Other") == (2...3).contains(acknowledged))
    }
}
