#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    /// Where in a run of bytes the changes and requirements of a batch are, table by table, as the functions of
    /// a store take them: places, lengths of keys, and where values begin and how long they are.
    ///
    /// A place is the number of a row, or where a key begins, counted from 0. A size is that of a value, with
    /// its CRC; -1: the row or key is deleted; -2: so it is, whatever has become of it; -3, -4, -5: it has to
    /// be unchanged, absent, present. Not `Sendable`: the committing thread has it.
    final class PostgresChunk {
        /// What is said of a table in its flags.
        enum Flag {
            static let hasKeys: Int32 = 1
            /// Its rows or keys stand somewhere.
            static let hasContent: Int32 = 2
            /// It is defined, as one of that kind.
            static let isThere: Int32 = 4
            static let wasDropped: Int32 = 8
            static let isRequired: Int32 = 16
            static let isChanged: Int32 = 32
            /// Rows or keys are put alone, each behind the one before it.
            static let isRun: Int32 = 64
        }

        struct Table: Hashable {
            var number: TableNumber
            var hasKeys: Bool
        }

        private struct Places {
            var flags = Flag.isRun
            /// Lives as long as the operations that are being added.
            var lastKey = UnsafeRawBufferPointer(start: nil, count: 0)
            var place: [Int64] = []
            var length: [Int32] = []
            var value: [Int32] = []
            var size: [Int32] = []
        }

        private var places: [Places] = []
        private var order: [Table] = []
        private var indices: [Table: Int] = [:]
        private var latest: (table: Table, index: Int)?

        private func index(of table: Table) -> Int {
            if let latest, latest.table == table { return latest.index }
            let index = indices[table] ?? places.count
            if index == places.count {
                places.append(Places())
                order.append(table)
                indices[table] = index
            }
            latest = (table, index)
            return index
        }

        /// - Parameter key: the key, where one is put.
        private func add(
            _ number: TableNumber, hasKeys: Bool, _ flag: Int32, _ place: Int, _ length: Int,
            _ value: Int, _ size: Int, key: UnsafeRawBufferPointer? = nil
        ) {
            let index = index(of: Table(number: number, hasKeys: hasKeys))
            if places[index].flags & Flag.isRun != 0, let last = places[index].place.last {
                let goesOn =
                    key.map { places[index].lastKey.lexicographicallyPrecedes($0) }
                    ?? (last < place)
                if !goesOn { places[index].flags &= ~Flag.isRun }
            }
            if size < 0 { places[index].flags &= ~Flag.isRun }
            if let key { places[index].lastKey = key }
            places[index].flags |= flag
            places[index].place.append(Int64(place))
            places[index].length.append(Int32(length))
            places[index].value.append(Int32(value))
            places[index].size.append(Int32(size))
        }

        /// Adds the changes of some operations.
        /// - Parameters:
        ///   - start: where they begin in the bytes that are sent.
        ///   - isBlind: whether what is deleted may have become anything.
        func add(
            _ operations: UnsafeRawBufferPointer, at start: Int, limit: Int, isBlind: Bool = false
        ) throws(BackendError) {
            guard let base = operations.baseAddress else { return }
            func offset(_ bytes: UnsafeRawBufferPointer) -> Int {
                bytes.baseAddress.map { $0 - base + start } ?? start
            }
            let changed = Flag.isChanged
            var reader = OperationReader(operations)
            while let operation = reader.next() {
                switch operation {
                case .putRow(let table, let row, let stored):
                    guard stored.count <= limit else { throw .tooLarge(limit: limit) }
                    add(
                        table, hasKeys: false, changed, Int(row.rawValue), 0, offset(stored),
                        stored.count)
                case .deleteRow(let table, let row):
                    add(table, hasKeys: false, changed, Int(row.rawValue), 0, 0, -1)
                case .putKey(let table, let key, let stored):
                    guard key.count + stored.count <= limit else { throw .tooLarge(limit: limit) }
                    add(
                        table, hasKeys: true, changed, offset(stored) - key.count, key.count,
                        offset(stored), stored.count, key: key)
                case .deleteKey(let table, let key):
                    add(
                        table, hasKeys: true, changed, offset(key), key.count, 0, isBlind ? -2 : -1)
                case .define, .drop, .note, .unknown: break
                }
            }
        }

        func require(_ requirement: WriteBatch.Requirement, row: RowID, in table: TableNumber) {
            add(
                table, hasKeys: false, Flag.isRequired, Int(row.rawValue), 0, 0,
                Self.size(requirement))
        }

        /// - Parameter place: where the key begins in the bytes that are sent.
        func require(
            _ requirement: WriteBatch.Requirement, keyAt place: Int, _ length: Int,
            in table: TableNumber
        ) {
            add(table, hasKeys: true, Flag.isRequired, place, length, 0, Self.size(requirement))
        }

        private static func size(_ requirement: WriteBatch.Requirement) -> Int {
            switch requirement {
            case .unchanged: -3
            case .absent: -4
            case .present: -5
            }
        }

        var isRequired: Bool { places.contains { $0.flags & Flag.isRequired != 0 } }

        // MARK: Parameters

        /// Makes it seven parameters: tables, flags, where in the others each table ends, and these.
        /// - Parameter basis: the commit that the batch is based on; `nil`: none.
        func bind(
            to parameters: PostgresParameters, from index: Int32, _ tables: TableVersions,
            basis: Int64?
        ) {
            parameters.set(order.map { Int64($0.number.rawValue) }, at: index)
            parameters.set(
                zip(order, places).map { $1.flags | Self.flags($0, tables, basis) }, at: index + 1)
            var end: Int32 = 0
            let ends = places.map { places in
                end += Int32(places.place.count)
                return end
            }
            parameters.set(ends, at: index + 2)
            parameters.set(places.flatMap(\.place), at: index + 3)
            parameters.set(places.flatMap(\.length), at: index + 4)
            parameters.set(places.flatMap(\.value), at: index + 5)
            parameters.set(places.flatMap(\.size), at: index + 6)
        }

        /// What is known of a table.
        static func flags(_ table: Table, _ tables: TableVersions, _ basis: Int64?) -> Int32 {
            func isOfKind(_ kind: TableKind?) -> Bool {
                kind.map { ($0 != .record) == table.hasKeys } ?? false
            }
            var flags = table.hasKeys ? Flag.hasKeys : 0
            if isOfKind(tables.kindOfContent(table.number)) { flags |= Flag.hasContent }
            if isOfKind(tables.kind(of: table.number)) { flags |= Flag.isThere }
            if let basis, tables.wasDropped(table.number, after: basis) { flags |= Flag.wasDropped }
            return flags
        }
    }
#endif
