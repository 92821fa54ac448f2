import CabinetBackend

extension Store {
    /// Has `participant` take part in all commits of this store from now on.
    func add(_ participant: any CommitParticipant) {
        participants.append(participant)
        noteFollowed()
    }

    /// Takes `participant` out of the store's commits.
    func remove(_ participant: any CommitParticipant) {
        participants.removeAll { $0 === participant }
        noteFollowed()
    }

    /// What participants follow may have changed.
    func noteFollowed() {
        for storedClass in classes {
            storedClass.setFollowers(
                participants.indices.filter { participants[$0].follows(storedClass) },
                ofNew: participants.indices.filter {
                    participants[$0].follows(storedClass) && !participants[$0].keepsFormers
                },
                isWatched: watchers?.watch(storedClass) == true)
            storedClass.countsReferences = storedClass.followers.contains {
                participants[$0].countsReferences
            }
            storedClass.isFollowedByTable = storedClass.followers.allSatisfy {
                participants[$0] === referrerTable
            }
            storedClass.isCompared =
                storedClass.isWatched
                || storedClass.followers.contains { participants[$0].compares(storedClass) }
        }
        comparesRecords = classes.contains(where: \.isCompared)
    }

    /// Before a commit: adds what any store has registered, and takes note of others' commits.
    @inline(__always)
    func prepareParticipants() throws {
        if hub.generation != hubGeneration { try renewParticipants() }
    }

    /// Whether a class has no records as of the store's basis. If so, `commit`, which may then say of an
    /// index that it is complete, is made only if no other comes in between: that may add records and leave
    /// the entries of indexes as they are.
    func isEmpty(_ storedClass: StoredClass, in commit: Commit) throws -> Bool {
        guard try reader.count(of: storedClass.table) == 0 else { return false }
        if isIsolated, !GuardedStep.lastBasisOfEmpty.isLeftOut {
            commit.batch.requiresLastBasis = true
        }
        SchedulePoint.hub.pass()
        return true
    }

    /// Whether another store is making a commit that may not know what is registered. For a commit that
    /// requires the last basis, it is enough to ask once: what has ended came in between, and what begins
    /// later knows it.
    var isCommittedToUnawares: Bool {
        isIsolated && hub.isCommitting(before: hubGeneration)
            && !GuardedStep.unawareCommits.isLeftOut
    }

    @inline(never)
    private func renewParticipants() throws {
        let generation = hub.generation
        SchedulePoint.hub.pass()
        for registration in hub.registrations where !knownRegistrations.contains(registration.name)
        {
            try registration.apply(self)
            knownRegistrations.append(registration.name)
        }
        if try Self.recordedVersioning(in: backend) == nil { isVersioningRecorded = false }
        for participant in participants { participant.forgetWhatIsSaved() }
        referenceTrust.doubt(classes)
        noteFollowed()
        // Only now: after a throw the next commit tries again.
        hubGeneration = generation
    }
}
