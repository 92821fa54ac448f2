#if PostgreSQL
    import CChecksum
    import CabinetBackend
    import CabinetSQL

    /// A batch as the function takes it that commits. Not `Sendable`: the committing thread has it.
    final class PostgresCommit {
        private let batch: WriteBatch
        let chunks: [UnsafeRawBufferPointer]
        private let limits: BackendLimits
        let last = PostgresChunk()
        private(set) var staged: [PostgresChunk] = []
        /// The operations of the last chunk, deletes that are blind, and keys that the batch does not write.
        private let bytes = DataBuffer()
        /// How many of the bytes are operations, without and with blind deletes.
        private var (own, tail) = (0, 0)
        /// When it was tried last, in microseconds since 1970-01-01.
        private(set) var time: UInt64 = 0
        var author: UInt32 { batch.author }
        private var sums: [(place: WriteBatch.KeyOfTable, amount: Int64, offset: Int)] = []

        /// - Parameter chunks: the operations that were handed over.
        init(
            _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer], _ limits: BackendLimits
        ) throws(BackendError) {
            self.batch = batch
            self.chunks = chunks
            self.limits = limits
            bytes.sizeLimit = .max
            let limit = limits.largestRecord
            for chunk in chunks {
                let made = PostgresChunk()
                try made.add(chunk, at: 0, limit: limit)
                staged.append(made)
            }
            let operations = StagedChunks.operations(of: batch)
            bytes.writeRawBytes(operations)
            own = bytes.count
            try last.add(operations, at: 0, limit: limit)
            try addBlindDeletes()
            addDemands()
        }

        private func addBlindDeletes() throws(BackendError) {
            let deletes = WriteBatch()
            for place in (batch.demands?.blindDeletes ?? []).sorted() {
                try place.key.withUnsafeBytesThrowing { key throws(BackendError) in
                    try deletes.deleteKey(key, in: place.table)
                }
            }
            let operations = StagedChunks.operations(of: deletes)
            bytes.writeRawBytes(operations)
            tail = bytes.count
            try last.add(
                operations, at: own, limit: limits.largestRecord, isBlind: true)
        }

        private func addDemands() {
            guard let demands = batch.demands else { return }
            precondition(
                batch.basis != nil
                    || demands.rows.allSatisfy { $0.requirement != .unchanged }
                        && demands.keys.allSatisfy { $0.requirement != .unchanged },
                "A batch that requires something to be unchanged needs a basis.")
            for (table, row, requirement) in demands.rows {
                last.require(requirement, row: row, in: table)
            }
            for (table, key, requirement) in demands.keys {
                last.require(requirement, keyAt: bytes.count, key.count, in: table)
                key.withUnsafeBytes { bytes.writeRawBytes($0) }
            }
            for (place, amount) in demands.additions.sorted(by: { $0.key < $1.key })
            where amount != 0 {
                sums.append((place, amount, bytes.count))
                place.key.withUnsafeBytes { bytes.writeRawBytes($0) }
            }
        }

        /// The tables after the commit.
        func change(_ tables: inout TableVersions, at number: Int64) {
            for definition in batch.definitions { tables.define(definition, at: number) }
            for table in batch.drops { tables.drop(table, at: number) }
        }

        /// Makes its changes of the catalog; `false`: the sums that it adds to there are not known.
        func change(_ catalog: inout PostgresCatalog) -> Bool {
            if sums.contains(where: { $0.place.table == .catalog }) { return false }
            for chunk in chunks { catalog.apply(chunk) }
            catalog.apply(StagedChunks.operations(of: batch))
            return true
        }

        /// Whether its last chunk has all tables whose content it changes.
        var changesLastChunkAlone: Bool { chunks.isEmpty && batch.drops.isEmpty }

        /// The operations as the feed has them; `nil`: they were handed over in parts, or hold sums that the
        /// server makes.
        var operations: UnsafeRawBufferPointer? {
            chunks.isEmpty && sums.isEmpty
                ? UnsafeRawBufferPointer(rebasing: bytes.memory[..<tail]) : nil
        }

        /// How many bytes of operations there are.
        var size: Int { chunks.reduce(tail) { $0 + $1.count } }
        var basis: Int64? { batch.basis?.number }

        // MARK: Whether it is possible

        /// - Throws: what makes the operations impossible, while the tables are as known.
        func check(_ tables: TableVersions) throws(BackendError) {
            for place in batch.demands?.blindDeletes ?? [] {
                let found =
                    batch.definitions.last { $0.number == place.table }
                    ?? tables.definition(of: place.table)
                guard let found, found.kind == .ordered, found.flags.contains(.derived) else {
                    throw .noTable(place.table)
                }
            }
            let draft = BatchDraft(of: tables, limits: limits)
            for chunk in chunks {
                try draft.check(chunk)
                draft.startNextChunk()
            }
            // Additions are puts, as far as tables and keys go.
            let puts = WriteBatch()
            for (place, _, _) in sums {
                try place.key.withUnsafeBytesThrowing { key throws(BackendError) in
                    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
                    try puts.put(nothing, for: key, in: place.table)
                }
            }
            try draft.check(StagedChunks.operations(of: batch))
            draft.startNextChunk()
            try draft.check(StagedChunks.operations(of: puts))
        }

        // MARK: Parameters

        struct Header {
            var session: Int64
            var epoch: Int64
            var token: Int64
            var patience: Int64
            var isSafe: Bool
            /// Whether it is only to be found out whether the batch is in conflict.
            var onlyAsks: Bool
            /// The number of the line that the commit begins, if one is due.
            var line: Int64
        }

        /// The question that makes the commit.
        func question(
            _ header: Header, _ directory: PostgresDirectory, schema: String
        ) -> PostgresQuestion {
            let question = PostgresQuestion(
                text: "SELECT * FROM \(schema).commit("
                    + (1...35).map { "$\($0)" }.joined(separator: ", ") + ")")
            let parameters = question.parameters
            var flags: Int64 = header.isSafe ? 1 : 0
            if header.onlyAsks { flags |= 2 }
            if batch.requiresLastBasis { flags |= 4 }
            if last.isRequired { flags |= 16 }
            time = Clock.microseconds()
            let numbers = [
                header.session, header.epoch, header.token, header.patience, flags,
                directory.number, batch.basis?.number ?? -1, Int64(time), Int64(batch.author),
                header.line,
            ]
            for (index, number) in numbers.enumerated() {
                parameters.set(number, at: Int32(index + 1))
            }
            parameters.set(Int32(chunks.count), at: 11)
            parameters.set(Int64(chunks.reduce(0) { $0 + $1.count }), at: 12)
            parameters.set(UnsafeRawBufferPointer(bytes.memory), at: 13)
            parameters.set(Int32(own), at: 14)
            parameters.set(Int32(tail), at: 15)
            last.bind(to: parameters, from: 16, directory.tables, basis: batch.basis?.number)
            bindSums(to: parameters, directory.tables)
            bindTables(to: parameters, directory.tables, onlyAsks: header.onlyAsks)
            return question
        }

        private func bindSums(to parameters: PostgresParameters, _ tables: TableVersions) {
            var ends: [(table: TableNumber, end: Int32)] = []
            for (index, sum) in sums.enumerated() {
                if ends.last?.table != sum.place.table { ends.append((sum.place.table, 0)) }
                ends[ends.count - 1].end = Int32(index + 1)
            }
            parameters.set(ends.map { Int64($0.table.rawValue) }, at: 23)
            parameters.set(
                ends.map { end in
                    let table = PostgresChunk.Table(number: end.table, hasKeys: true)
                    return PostgresChunk.flags(table, tables, nil) | PostgresChunk.Flag.isChanged
                }, at: 24)
            parameters.set(ends.map(\.end), at: 25)
            parameters.set(sums.map(\.amount), at: 26)
            parameters.set(sums.map { Int32($0.offset) }, at: 27)
            parameters.set(sums.map { Int32($0.place.key.count) }, at: 28)
            parameters.set(
                sums.map { sum in
                    sum.place.key.withUnsafeBytes { key in
                        Int64(cabinet_crc32c(0, key.baseAddress, key.count))
                    }
                }, at: 29)
        }

        private func bindTables(
            to parameters: PostgresParameters, _ tables: TableVersions, onlyAsks: Bool
        ) {
            let used = batch.usage.filter { $0.highestRow > RowID.none }
            parameters.set(used.map { Int64($0.table.rawValue) }, at: 30)
            parameters.set(used.map { Int64($0.highestRow.rawValue) }, at: 31)
            parameters.set(batch.drops.map { Int64($0.rawValue) }, at: 32)
            var seen: Set<TableNumber> = []
            // What is only asked about may not even be text.
            let definitions = onlyAsks ? [] : batch.definitions
            parameters.set(definitions.map { Int64($0.number.rawValue) }, at: 33)
            parameters.set(
                definitions.flatMap { table -> [Int64] in
                    let isNew =
                        tables.kindOfContent(table.number) == nil
                        && seen.insert(table.number).inserted
                    return [
                        Int64(table.kind.rawValue), Int64(table.classNumber),
                        Int64(table.classVersion), Int64(table.flags.rawValue), isNew ? 1 : 0,
                    ]
                }, at: 34)
            parameters.set(definitions.map(\.name), at: 35)
        }
    }
#endif
