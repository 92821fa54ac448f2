import CabinetBackend

/// What is known of a text index as of one commit.
struct KnownText {
    let table: TableNumber
    /// Which making of the index the table is of: another one's may have the same number.
    let generation: UInt32
    let commit: CommitNumber
    let state: TextState
}

extension ClassText {
    /// The index as a reader sees it; `nil` if it has no table yet. What the last search knew of the same
    /// commit is used again, and of another commit the terms and lengths, if they are still in the same segments.
    func snapshot(_ reader: any BackendReader) throws -> TextSnapshot? {
        guard let table else { return nil }
        let commit = try reader.lastCommit()
        let isSame = known?.table == table && known?.generation == generation
        let former = isSame ? known : nil
        let snapshot = try TextSnapshot(
            table, hasLengths: index.tokenizer.hasLengths, reader,
            former?.commit == commit ? former?.state : nil, memory: memory)
        if former?.commit != commit {
            if let former = former?.state, former.segments == snapshot.segments {
                snapshot.state.dictionary = former.dictionary
                snapshot.state.lengths = former.lengths
            }
            known = KnownText(
                table: table, generation: generation, commit: commit, state: snapshot.state)
        }
        return snapshot
    }
}
