import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

extension EdgeBench {
    /// What JSON and keys of an index say of a value is that value.
    func compareCopies() async throws {
        let other = try Store(inMemory: [Row<Indexed>.self])
        let file = FileManager.default.temporaryDirectory.appending(path: "Edges-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try indexed.json.export(to: file)
        try other.json.import(from: file)
        try other.save()
        let copies = try other.fetch(Row<Indexed>.self, sortedBy: [.ascending(\.number)])
        #expect(copies.count == rows.count)
        for (copy, row) in zip(copies, rows) {
            #expect(Self.order(copy.value, row.value) == 0, "\(Value.self) \(row.value)")
            #expect(Self.order(copy.maybe, row.maybe) == 0, "\(Value.self) \(row.maybe as Any)")
        }
        for (one, _) in rows {
            for (other, _) in rows {
                let keys = (OrderedKey(one), OrderedKey(other))
                let order = Self.order(one, other)
                if keys.0.isCut || keys.1.isCut { continue }
                #expect((keys.0 < keys.1) == (order < 0) && (keys.0 == keys.1) == (order == 0))
            }
            let key = OrderedKey(one)
            if !key.isCut { #expect(Self.order(try key.values(Value.self), one) == 0) }
        }
        #expect(try await indexed.check().findings.filter(\.kind.isFault) == [])
    }
}
