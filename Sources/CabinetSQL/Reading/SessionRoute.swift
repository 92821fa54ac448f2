import CabinetBackend

/// Asks by the statements of sessions, in a transaction for each question. `Sendable`: it has no state.
package struct SessionRoute: SQLRoute {
    package init() {}

    package var isRemote: Bool { false }

    package func tables(
        asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> [TableDefinition] { try core.read(asOf: commit) { $0.tables() } }

    package func kind(
        of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> TableKind? { try core.read(asOf: commit) { $0.kind(of: table) } }

    package func count(
        of table: TableNumber, asOf commit: CommitNumber?, _ core: SQLCore
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in try state.count(of: table) }
    }

    package func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int, asOf commit: CommitNumber?,
        _ core: SQLCore
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in
            try state.count(of: range, in: table, upTo: limit)
        }
    }

    package func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, checked: Bool,
        asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in
            var looked = 0
            for row in rows {
                looked += 1
                let goesOn = try state.value(of: row, in: table, checked: checked) {
                    body(row, $0)
                }
                if goesOn == false { break }
            }
            return looked
        }
    }

    package func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, asOf commit: CommitNumber?,
        _ core: SQLCore,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int {
        try core.read(asOf: commit) { state throws(BackendError) in
            var looked = 0
            for key in keys {
                looked += 1
                let goesOn = try key.withUnsafeBytesThrowing { key throws(BackendError) in
                    try state.value(forKey: key, in: table) { body(key, $0) }
                }
                if goesOn == false { break }
            }
            return looked
        }
    }

    package func records(
        in table: TableNumber, after row: Int64, asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ row: RowID, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Int64? {
        try core.read(asOf: commit) { state throws(BackendError) in
            try state.forEachRow(in: table, after: row, body)
        }
    }

    package func entries(
        in table: TableNumber, _ range: KeyRange, descending: Bool, limit: Int,
        asOf commit: CommitNumber?, _ core: SQLCore,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> [UInt8]? {
        try core.read(asOf: commit) { state throws(BackendError) in
            try state.forEachEntry(in: table, range, descending: descending, body)
        }
    }

    package func lastCommit(_ core: SQLCore) throws(BackendError) -> Int64 {
        try core.pool.read { $0.state.last }
    }

    package func commit(
        _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer], _ core: SQLCore
    ) throws(BackendError) -> Int64 {
        try core.commit(batch, chunks)
    }

    package func reserveRows(
        _ count: UInt32, in table: TableNumber, _ core: SQLCore
    ) throws(BackendError) -> ClosedRange<RowID> { try core.takeRows(count, in: table) }

    package func outcome(of token: UInt64, _ core: SQLCore) throws(BackendError) -> CommitOutcome {
        try core.outcome(of: token)
    }

    package func close() {}
}
