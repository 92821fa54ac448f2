import CabinetBackend

extension PastLook {
    /// What a commit has done to one row.
    private struct RowChange {
        let header: EventHeader
        let former: FormerRecord
        /// What it has put there; `nil` if the next change says it.
        let new: FormerRecord?
    }

    /// What the commits that are known have done to the object in a row, oldest first.
    /// - Parameter waiting: finds those in the feed; `nil`: all of the feed is read.
    func events(
        of place: RowPlace, _ waiting: WaitingChanges? = nil
    ) throws -> [ObjectEvent<StoredObject>] {
        let schema = try StoreSchema(base)
        guard let storedClass = schema.classes.first(where: { $0.table == place.table }) else {
            return []
        }
        let decoder = RecordDecoder(schema)
        let id = ObjectID<StoredObject>(
            store: base.identity, table: place.table, rowID: place.row)
        let changes = try changes(of: place, waiting)
        var events: [ObjectEvent<StoredObject>] = []
        for (index, change) in changes.enumerated() {
            let next = index + 1 < changes.count ? changes[index + 1].former : nil
            let new = try change.new ?? next ?? presentRecord(in: place)
            let kind = try decoder.change(
                from: change.former, to: new, place.row, of: storedClass)
            if let kind { events.append(ObjectEvent(id: id, kind: kind, header: change.header)) }
        }
        return events
    }

    private func changes(
        of place: RowPlace, _ waiting: WaitingChanges?
    ) throws(BackendError) -> [RowChange] {
        var changes: [RowChange] = []
        if let tables {
            for change in try tables.changes(of: place, after: oldest) {
                changes.append(
                    RowChange(
                        header: try EventHeader(change.commit, in: backend),
                        former: change.former, new: change.new))
            }
        }
        let isFound = try waiting?.forEachCommit(
            on: place, of: self
        ) { commit, operations throws(BackendError) in
            let change = try change(of: place, in: operations) { () throws(BackendError) in
                try EventHeader(commit.header, in: backend)
            }
            if let change { changes.append(change) }
        }
        if isFound == true { return changes }
        try forEachCommit(after: oldest) { commit throws(BackendError) in
            let change = try change(of: place, in: commit.forEachOperation) {
                () throws(BackendError) in try EventHeader(commit, in: backend)
            }
            if let change { changes.append(change) }
        }
        return changes
    }

    private func presentRecord(in place: RowPlace) throws(BackendError) -> FormerRecord {
        let buffer = DataBuffer()
        guard try base.value(of: place.row, in: place.table, into: buffer) else { return .absent }
        return .record(buffer.withUnsafeBytes { [UInt8]($0) })
    }

    /// `nil`: the commit has done nothing to the row.
    /// - Parameter forEachOperation: goes over the operations of the commit, those on the row at least.
    private func change(
        of place: RowPlace,
        in forEachOperation: ((Operation) throws(BackendError) -> Void) throws(BackendError) ->
            Void,
        by header: () throws(BackendError) -> EventHeader
    ) throws(BackendError) -> RowChange? {
        var (new, former): (FormerRecord?, FormerRecord?)
        var isNew = false
        try forEachOperation { operation in
            switch operation {
            case .putRow(place.table, place.row, let stored):
                new = .record([UInt8](stored.dropLast(Operation.checksumSize)))
            case .deleteRow(place.table, place.row): new = .absent
            case .unknown(Operation.former, place.table, let bytes):
                if FormerValue.saysNewRows(bytes) { isNew = true }
                guard let found = FormerValue(bytes), case .row(place.row) = found.place else {
                    return
                }
                former = FormerRecord(found)
            default: break
            }
        }
        guard let new else { return nil }
        if isNew, former == nil, case .record = new { former = .absent }
        return RowChange(header: try header(), former: former ?? .unknown, new: new)
    }
}
