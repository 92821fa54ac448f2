import Cabinet
import Foundation

final class Entry: StoredObject {
    @Field var text = ""
    @Field var cents = 0

    override class var keepsHistory: Bool { true }
}

func lookBack(_ container: StoreContainer, at entry: Entry, to date: Date) async throws {
    for event in try container.history(of: entry) {
        guard case .changed(let fields) = event.kind else { continue }
        for field in fields {
            print(event.date, event.author ?? "", field.name, field.old as Any, field.new as Any)
        }
    }
    let total = try await container.read(asOf: date) { store in
        try store.query(Entry.self).sum(\.cents)
    }
    print(total)
}
