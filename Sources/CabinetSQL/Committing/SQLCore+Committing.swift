import CabinetBackend

extension SQLCore {
    /// Makes a commit of a batch; the last commit's number if there is nothing to commit.
    func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        let staged = batch.sink as? StagedChunks
        SchedulePoint.commit.pass()
        defer { staged?.removeAll() }
        try pool.checkOpen()
        if batch.isEmpty, !batch.hasDemands { return lastKnown }
        try checkWritable()
        if let failure = staged?.failure { throw failure }
        let number = try route.commit(batch, staged?.chunks ?? [], self)
        subscribers.deliver()
        return CommitNumber(number: number)
    }

    /// The order of a commit, within the transaction that keeps others from making one: what the batch
    /// requires, whether it is possible, its number, its changes, what is said of it.
    func make(
        _ batch: WriteBatch, _ chunks: [UnsafeRawBufferPointer], at time: Int64,
        _ session: Session
    ) throws(BackendError) -> Int64 {
        let last = session.state.last
        // On the last commit nothing can conflict.
        if batch.demands != nil || batch.basis.map({ $0.number != last }) ?? false {
            try batch.resolve(on: StateBeforeCommit(session), handedOver: chunks)
        }
        if batch.isEmpty { return last }
        let rest = StagedChunks.operations(of: batch)
        let draft = BatchDraft(of: session.tables, limits: host.limits)
        for chunk in chunks {
            try draft.check(chunk)
            draft.startNextChunk()
        }
        try draft.check(rest)

        let number = last + 1
        let applying = Applying(session, commit: number)
        let changesColumns = try apply(chunks + [rest], of: batch, by: applying, number, session)
        try applying.finish(batch.usage)

        var state = session.state
        state.last = number
        if applying.changesTables || changesColumns { state.directory += 1 }
        let feed = Feed(session, limit: options.changesKept)
        try feed.add(number, at: time, author: batch.author, chunks, rest, &state)
        try beginLineIfDue(number, session, &state)
        try state.write(to: session)
        // The tables are known as they are now.
        session.state = state
        return number
    }

    /// A line of numbers begins where commits may have got them elsewhere: in a copy of the database, and
    /// after a power cut that may have taken some back.
    private func beginLineIfDue(
        _ number: Int64, _ session: Session, _ state: inout StoreState
    ) throws(BackendError) {
        let isCopy = state.place != host.place
        let mayHaveLost = state.loose != 0 && state.loose != host.run
        state.place = host.place
        state.loose = options.durability == .full ? 0 : host.run
        guard number == 1 || isCopy || mayHaveLost else { return }
        let add = try session.statement(.addLine)
        add.bind(number, Int64(bitPattern: UInt64.random(in: 1...UInt64.max)))
        try add.run()
    }

    /// Makes all commits safe, those of others too.
    func sync() throws(BackendError) {
        try pool.checkOpen()
        if access == .readWrite { try route.sync(self) }
    }

    /// What is written last makes all that was written before it safe.
    static func sync(_ session: Session) throws(BackendError) {
        let isLoose = try session.transaction(.reading) { session.state.loose != 0 }
        guard isLoose else { return }
        try session.transaction(.writing(isSafe: true)) { () throws(BackendError) in
            var state = session.state
            state.loose = 0
            try state.write(to: session)
        }
    }
}
