#if PostgreSQL
    import CabinetBackend

    /// What the function says that commits.
    enum PostgresAnswer {
        struct Made {
            /// The commit's number; that of the last one if there was nothing to commit.
            var number: Int64
            /// The number of the table of tables; 0: not known.
            var directory: Int64
            /// How much the feed keeps, and what was before which commit is not known any more.
            var feed: (size: Int64, oldest: Int64)?
            /// The last commit that has changed the catalog, now and before this one.
            var catalog: (now: Int64, before: Int64)?
            /// How many rows or keys the tables of its last chunk have.
            var counts: [TableNumber: Int] = [:]
            /// How many sessions use the store, up to one more than are told of commits; 0: not known.
            var sessions = 0
        }

        case made(Made)
        /// Nothing is in conflict, and nothing was made, as it was only asked.
        case isPossible
        /// The tables are not as they were known: nothing was made.
        case otherTables
        /// The batch cannot be committed.
        case refused(BackendError)

        /// | code | table, number and key |
        /// |---|---|
        /// | 0 | the number of the table of tables, and of the commit |
        /// | 1, 2 | a row or a key that is not as required |
        /// | 3 | the oldest commit whose state is known |
        /// | 4 | the tables are other ones |
        /// | 5 | a table with a value that is no number |
        /// | 7 | another commit came behind the basis |
        /// | 8 | nothing is in the way |
        /// | 9 | the commit was given up in the meantime |
        /// | 10 | the size of the feed, and the oldest commit |
        /// | 11 | the last commit that has changed the catalog, now and before |
        /// | 12 | a table, and how many rows or keys it has |
        /// | 13 | how many sessions use the store |
        init(_ result: PostgresResult, _ place: PostgresStore) throws(BackendError) {
            var made: Made?
            var conflicts: Set<Conflict> = []
            for index in 0..<result.count {
                let (code, table) = (result.number(index, 0), result.number(index, 1))
                let number = result.number(index, 2)
                let place = TableNumber(UInt16(truncatingIfNeeded: table))
                switch code {
                case 0: made = Made(number: number, directory: table, feed: nil)
                case 1:
                    conflicts.insert(
                        .row(RowID(UInt32(truncatingIfNeeded: number)), table: place))
                case 2: conflicts.insert(.key([UInt8](result.bytes(index, 3)), table: place))
                case 10: made?.feed = (table, number)
                case 11: made?.catalog = (table, number)
                case 13: made?.sessions = Int(number)
                case 12: made?.counts[place] = Int(number)
                default:
                    self = Self.other(code, place, number)
                    return
                }
            }
            guard conflicts.isEmpty else {
                self = .refused(.conflict(conflicts.sorted()))
                return
            }
            guard let made else { throw place.damaged("the answer to a commit") }
            self = .made(made)
        }

        private static func other(
            _ code: Int64, _ table: TableNumber, _ number: Int64
        ) -> PostgresAnswer {
            switch code {
            case 3: .refused(.changesGone(oldest: CommitNumber(number: number)))
            case 4: .otherTables
            case 5: .refused(.badAddition(table))
            case 7: .refused(.conflict([]))
            case 8: .isPossible
            default:
                .refused(
                    .engine(
                        name: PostgresFailure.engine,
                        reason: "a commit was given up while it was under way."))
            }
        }
    }
#endif
