#if DEBUG || SCHEDULES
    import CabinetBackend
    import CabinetTokyo
    import TrustSupport

    @testable import Cabinet
    @testable import CabinetTestModel

    /// What one thread of a schedule does: it opens a store, changes and saves what a seed says, and closes it.
    struct ScheduledWork<Song: ScheduledSong, Disc: StoredObject> {
        private let backend: any Backend
        private let number: Int
        private var random: SeededRandom
        private var store: Store
        private var inserted = 0
        /// What the threads of the schedule do.
        private let kinds: [Kind]

        private enum Kind: CaseIterable {
            case insert, save, edit, delete, merge, background, advance, register, build, upgrade
            case look, reopen, keepTexts, compact
        }

        init(_ backend: any Backend, seed: UInt64, number: Int) throws {
            self.backend = backend
            self.number = number
            random = SeededRandom(seed: seed, part: UInt64(number + 1))
            // What seldom meets among many kinds of steps meets often among few.
            var choice = SeededRandom(seed: seed, part: 0)
            let others = Kind.allCases.dropFirst(2).filter { _ in choice.once(in: 2) }
            kinds = [.insert, .insert, .save, .save] + others
            store = try Store(backend: backend, classes: [Song.self, Disc.self])
        }

        mutating func run(steps: Int) throws {
            defer { try? store.close() }
            for _ in 0..<steps {
                do { try step() } catch  where Self.isExpected(error) {
                    store.rollback()
                }
            }
            do { try store.save() } catch  where Self.isExpected(error) {}
        }

        /// What stores that work beside one another may throw.
        private static func isExpected(_ error: any Error) -> Bool {
            switch error {
            case StoreError.conflict, StoreError.notUnique, StoreError.outdated: true
            // So many others came between.
            case BackendError.conflict: true
            default: false
            }
        }

        private mutating func step() throws {
            switch kinds[random.below(kinds.count)] {
            case .insert: try insert()
            case .edit: try edit()
            case .delete: try delete()
            case .save: try store.save()
            case .merge: try store.save(onConflict: .merge)
            case .background:
                // Ends the one before, as `saveInBackground` does.
                try store.checkIdle()
                _ = try store.beginBackgroundSave()
                // Beside the commit.
                try insert()
            case .advance: try store.refresh()
            case .register: try register()
            case .build: try store.indexes.build()
            case .upgrade: try store.upgradeAll()
            case .look: try look()
            case .reopen: try reopen()
            case .keepTexts:
                try store.save()
                try store.keepTexts(unmergedLimit: 1 + random.below(3))
            case .compact: try (backend as? TokyoBackend)?.compact()
            }
        }

        private mutating func insert() throws {
            let disc = random.once(in: 2) ? nil : try anyDisc()
            for _ in 0...random.below(3) {
                let song = Song()
                inserted += 1
                // Seldom one that another thread has, which a program without indexes would not notice.
                let isShared = Song.self is IndexedTune.Type && random.once(in: 40)
                song.number = isShared ? inserted : (number + 1) * 1_000 + inserted
                song.title = "\(Self.words[random.below(4)]) \(Self.words[random.below(4)])"
                song.year = random.below(5)
                song.album = disc
                store.insert(song)
            }
        }

        private static var words: [String] { ["Roses", "Wires", "Nylon", "Yesterday"] }

        private mutating func anyDisc() throws -> StoredObject {
            let discs = try store.objects(of: Disc.self)
            if discs.count > 2 { return discs[random.below(discs.count)] }
            let disc = Disc()
            store.insert(disc)
            return disc
        }

        private mutating func anySong() throws -> Song? {
            let songs = try store.objects(of: Song.self)
            return songs.isEmpty ? nil : songs[random.below(songs.count)]
        }

        private mutating func edit() throws {
            guard let song = try anySong() else { return try insert() }
            switch random.below(4) {
            case 0: song.title += " again"
            case 1: song.year += 1
            case 2:
                inserted += 1
                song.number = (number + 1) * 1_000 + inserted
            default: song.album = try anyDisc()
            }
        }

        private mutating func delete() throws {
            if random.once(in: 2) { return try store.deleteAll(of: Song.self) }
            if let song = try anySong() { try store.delete(song) }
        }

        /// One more index, in all stores.
        private mutating func register() throws {
            guard let type = Song.self as? IndexedTune.Type else { return try edit() }
            do {
                if random.once(in: 2) {
                    try store.indexes.register(
                        .ordered(\IndexedTune.year, named: "extra"), of: type)
                } else {
                    try store.indexes.unregister(named: "extra", of: type)
                }
            } catch StoreError.badIndex {}
        }

        /// A look at one commit, while others go on.
        private func look() throws {
            let reader = try backend.snapshot(label: "look")
            let store = try Store(
                backend: backend, reader: reader, classes: [Song.self, Disc.self], migrations: [],
                versioning: .perInstance, log: .none, parts: Store.allParts)
            SchedulePoint.read.pass()
            let count = try store.objects(of: Song.self).count
            SchedulePoint.read.pass()
            let isSteady = try store.count(of: Song.self) == count
            try store.close()
            guard isSteady else { throw ScheduledFailure(text: "a frozen store has changed") }
        }

        private mutating func reopen() throws {
            do { try store.save() } catch  where Self.isExpected(error) { store.rollback() }
            try store.close()
            SchedulePoint.hub.pass()
            store = try Store(backend: backend, classes: [Song.self, Disc.self])
        }
    }

    struct ScheduledFailure: Error {
        let text: String
    }
#endif
