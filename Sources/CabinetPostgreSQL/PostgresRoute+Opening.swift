#if PostgreSQL
    import CabinetBackend
    import CabinetSQL

    extension PostgresRoute {
        func enter(
            _ roster: Roster, _ pool: SessionPool, registers: Bool, isWriting: Bool
        ) throws(BackendError) -> SQLEntry {
            let opened = opening.withLock { opened in
                defer { opened = nil }
                return opened
            }
            guard let opened else { throw place.damaged("the opening") }
            var entry = SQLEntry(isRegistered: false, identity: opened.identity, last: opened.last)
            guard registers else { return entry }
            do throws(BackendError) {
                try register(
                    roster.id, holding: nil, ended: opened.ended, isWriting: isWriting)
                entry.isRegistered = true
            } catch {
                // A disk that is full keeps nobody from reading.
                if isWriting { throw error }
            }
            return entry
        }

        func register(_ core: SQLCore) throws(BackendError) {
            try core.pool.checkOpen()
            let hold = core.holds.oldest
            try register(core.roster.id, holding: hold, ended: [], isWriting: false)
            core.roster.note(hold)
        }

        private func register(
            _ session: Int64, holding hold: CommitNumber?, ended: [Int64], isWriting: Bool
        ) throws(BackendError) {
            let question = PostgresQuestion(
                text: "SELECT \(schema).enter($1, $2, $3, $4, $5, $6, $7, $8)")
            let (parameters, user) = (question.parameters, place.user)
            parameters.set(session, at: 1)
            parameters.set(user.realm, at: 2)
            parameters.set(user.process, at: 3)
            parameters.set(user.began, at: 4)
            parameters.set(ended, at: 5)
            parameters.set(isWriting ? 1 : 0 as Int64, at: 6)
            parameters.set(max(place.patience, 1), at: 7)
            parameters.set(hold?.number ?? -1, at: 8)
            _ = try keepBooks(isWriting ? [keeping, question] : [question])
        }
    }
#endif
