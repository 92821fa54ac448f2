import Cabinet
import Foundation

extension QueryModel {
    /// Goes over all objects that meet a condition page by page, with changes between the pages.
    func askForPages(
        _ predicate: Predicate<Specimen>, _ holds: (SpecimenValues) -> Bool, _ order: [RandomOrder]
    ) throws {
        let query = ObjectQuery<Specimen>(where: predicate, sortedBy: order.map(\.order))
        let size = random.below(12) + 1
        var token: PageToken?
        var met: [RowID] = []
        for _ in 0..<200 {
            let expected = rows(meeting: holds, order)
            let page = try store.query(query).page(after: token, limit: size)
            let rows = page.objects.map(\.rowID)
            // The place of the last page's end, where its object may not be any more.
            let rest = try token.map { try rowsBehind($0, expected, order) } ?? expected
            try Self.check("page", predicate, rows, Array(rest.prefix(size)))
            try Self.check("end", predicate, page.next == nil, rest.count <= size)
            met += rows
            guard let next = page.next else { break }
            last = rows.last.flatMap { row in values[row].map { (row, $0) } }
            token = try Self.carried(next)
            guard random.once(in: 3) else { continue }
            try change()
        }
        last = nil
    }

    /// The token as another start of the program gets it.
    private static func carried(_ token: PageToken) throws -> PageToken {
        let bytes = try JSONEncoder().encode([token])
        return try JSONDecoder().decode([PageToken].self, from: bytes)[0]
    }

    private func rows(
        meeting holds: (SpecimenValues) -> Bool, _ order: [RandomOrder]
    ) -> [RowID] { Self.sort(values.filter { holds($0.value) }, order) }

    /// Those that come behind the last object of a page, as that was then.
    private func rowsBehind(
        _ token: PageToken, _ rows: [RowID], _ order: [RandomOrder]
    ) throws -> [RowID] {
        guard let last else { return [] }
        return rows.filter { row in
            guard let value = values[row] else { return false }
            for part in order {
                let compared = part.compare(value, last.values)
                if compared != 0 { return compared > 0 }
            }
            return row > last.row
        }
    }
}
