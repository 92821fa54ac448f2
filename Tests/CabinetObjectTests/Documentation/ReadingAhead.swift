import Cabinet

extension Store {
    /// How long all mixtapes play, in seconds.
    func playingTime(of mixtapes: [Mixtape]) throws -> UInt32 {
        let store = self
        let recordings = try store.prefetch(\Mixtape.recordings, of: mixtapes)
        return recordings.reduce(0) { $0 + $1.seconds }
    }
}
