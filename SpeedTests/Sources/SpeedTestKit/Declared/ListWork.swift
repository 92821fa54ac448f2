import CRivals
import Cabinet

/// Edits of one long list with an inverse while undo records: each a step of its own, or all of
/// them one step.
enum ListWork {
    /// What is timed.
    enum Edit { case append, delete, undoDeletes }

    /// Does `edit` with each track. `isGrouped`: as one step. The list is looked at when all is
    /// done, which is timed, too.
    static func edits(
        _ edit: Edit, isGrouped: Bool
    ) -> @Sendable (Job, Shelf) throws -> CabinetWork.Result {
        { job, _ in try run(edit, isGrouped, job) }
    }

    private static func run(
        _ edit: Edit, _ isGrouped: Bool, _ job: Job
    ) throws -> CabinetWork.Result {
        let store = try Store(inMemory: [Declared.Track.self, Declared.TrackList.self])
        let tracks = (0..<job.objects).map { Declared.Track(number: $0) }
        tracks.forEach(store.insert)
        let list = Declared.TrackList()
        if edit != .append { list.tracks = tracks }
        store.insert(list)
        try store.save()
        let history = store.undoHistory
        history.isEnabled = true
        history.stepLimit = .max
        history.byteLimit = .max
        let doomed = shuffled(tracks)
        func work(_ body: () throws -> Void) throws {
            if isGrouped { try history.group("All", body) } else { try body() }
        }
        func delete() throws { try work { for track in doomed { try store.delete(track) } } }
        if edit == .undoDeletes { try delete() }

        let start = speed_clock()
        switch edit {
        case .append: try work { for track in tracks { list.tracks.append(track) } }
        case .delete: try delete()
        case .undoDeletes: while try history.undo() {}
        }
        let count = list.tracks.count
        let seconds = speed_clock() - start

        guard count == (edit == .delete ? 0 : tracks.count) else {
            throw SpeedTestError.missing("list of the right length")
        }
        // For the proof, undo brings deleted objects back to their positions.
        if edit == .delete { while try history.undo() {} }
        var proof = Proof()
        for (track, original) in zip(list.tracks, tracks) {
            guard track === original, track.lists.count == 1, track.lists.first === list else {
                throw SpeedTestError.missing("track \(original.number) in its place")
            }
            proof.add(track.number)
        }
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }

    /// The same order in every run.
    private static func shuffled(_ tracks: [Declared.Track]) -> [Declared.Track] {
        var (tracks, state) = (tracks, Job.seed)
        for place in tracks.indices.dropFirst() {
            tracks.swapAt(place, Int(speed_next(&state) % UInt64(place + 1)))
        }
        return tracks
    }
}
