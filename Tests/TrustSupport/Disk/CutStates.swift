import CabinetTokyo

/// What was recorded of a run: the operations in their order, the test's own notes between them,
/// and what the views were at some of them.
package struct Recording: Sendable {
    package var root: String
    package var events: [RecordingFiles.Event]
    /// What the directory held before, for certain.
    package var initial = DiskImage()
    /// The notes that were made before.
    package var initialNotes: [String] = []
    /// The content of views, by the number of operations before it was seen.
    package var images: [Int: [Image]] = [:]

    /// What a view was, by its path or by its number in the recording.
    package enum Image: Sendable {
        case path(String, SparseFile)
        case file(Int, SparseFile)
    }

    package init(root: String, events: [RecordingFiles.Event]) {
        self.root = root
        self.events = events
    }
}

extension Recording {
    /// What is certain after all of it, and what is not.
    package func history(isView: @escaping @Sendable (String) -> Bool) -> DiskHistory {
        var history = DiskHistory(root: root, holding: initial, isView: isView)
        for operation in 0...events.count {
            for image in images[operation] ?? [] { history.see(image) }
            if operation < events.count { history.apply(events[operation]) }
        }
        return history
    }
}

/// A state in which a power cut may leave the disk.
package struct CutState: Sendable {
    package var image: DiskImage
    /// How many operations were begun before the cut.
    package var operations: Int
    /// The notes up to the cut.
    package var notes: [String]
    /// Which state of that cut it is.
    package var number: Int
    /// Whether the states of that cut were all made, not a sample of them.
    package var isExhaustive: Bool
}

/// Goes through the states in which a power cut during a recording may leave the disk.
package struct CutStates {
    package var recording: Recording
    package var isView: @Sendable (String) -> Bool
    /// A cut with at most so many states is gone through whole.
    package var exhaustiveLimit = 256
    /// How many states are made of a larger one.
    package var sample = 32
    /// Of so many cuts, after one operation and another, one is gone through; which, the seed says.
    package var cutsEvery = 1
    package var seed: UInt64

    package init(
        _ recording: Recording, seed: UInt64,
        isView: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.recording = recording
        self.seed = seed
        self.isView = isView
    }

    /// Calls `body` with every state; no state of the same cut twice. Of every cut the state that
    /// loses all comes first, then the one that loses nothing.
    package func visit(_ body: (CutState) throws -> Void) throws {
        var history = DiskHistory(
            root: recording.root, holding: recording.initial, isView: isView)
        var notes = recording.initialNotes
        for operations in 0...recording.events.count {
            for image in recording.images[operations] ?? [] { history.see(image) }
            let isTurn = (seed &+ UInt64(operations)).isMultiple(of: UInt64(cutsEvery))
            let (images, isExhaustive) = isTurn ? images(of: history, operations) : ([], false)
            for (number, image) in images.enumerated() {
                try body(
                    CutState(
                        image: image, operations: operations, notes: notes, number: number,
                        isExhaustive: isExhaustive))
            }
            guard operations < recording.events.count else { break }
            let event = recording.events[operations]
            if case .note(let text) = event { notes.append(text) }
            history.apply(event)
        }
    }

    private func images(
        of history: DiskHistory, _ operations: Int
    ) -> (images: [DiskImage], isExhaustive: Bool) {
        if let all = allImages(of: history) { return (all, true) }
        var seen: Set<DiskImage> = []
        var images: [DiskImage] = []
        for number in 0..<sample {
            let image: DiskImage
            if number < 2 {
                var chooser = FixedChooser(number)
                image = history.cut(&chooser)
            } else {
                let part = UInt64(operations) << 32 | UInt64(number)
                var chooser = RandomChooser(SeededRandom(seed: seed, part: part))
                image = history.cut(&chooser)
            }
            if seen.insert(image).inserted { images.append(image) }
        }
        return (images, false)
    }

    /// Every state, or `nil` if there are too many.
    private func allImages(of history: DiskHistory) -> [DiskImage]? {
        var seen: Set<DiskImage> = []
        var images: [DiskImage] = []
        var odometer = Odometer()
        var made = 0
        repeat {
            guard made < exhaustiveLimit else { return nil }
            made += 1
            let image = history.cut(&odometer)
            if seen.insert(image).inserted { images.append(image) }
        } while odometer.advance()
        return images
    }
}
