import Cabinet

final class Ticket: StoredObject {
    @Field var seat = ""
    @Field var holder: String?
}

/// Each machine has a container of its own over the same store.
func reserve(_ seat: RowID, for name: String, in container: StoreContainer) throws -> Bool {
    let store = try container.makeStore()
    guard let ticket = try store.object(Ticket.self, rowID: seat), ticket.holder == nil else {
        return false
    }
    ticket.holder = name
    do {
        try store.save()
        return true
    } catch StoreError.conflict {
        return false  // another machine was first
    }
}
