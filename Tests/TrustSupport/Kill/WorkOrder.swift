import CabinetBackend

/// What a worker saves.
package enum WorkSubject: String, Hashable, Sendable {
    /// A ``Ledger`` in tables, through the engine's own calls.
    case tables
    /// An ``ObjectLedger`` in objects, through `Store`.
    case objects
}

/// What a worker is to do, as its command line says it.
package struct WorkOrder: Hashable, Sendable {
    package var subject: WorkSubject
    package var directory: String
    package var seed: UInt64
    package var filling: Int
    package var durability: Durability
    /// How many saves are made before the store is closed.
    package var saves: Int
    /// Compaction is asked for before every save whose number this divides; 0 for never.
    package var compactEvery = 0
    package var killPoint: KillPoint?

    package init(
        _ subject: WorkSubject, directory: String, seed: UInt64, filling: Int,
        durability: Durability, saves: Int
    ) {
        self.subject = subject
        self.directory = directory
        self.seed = seed
        self.filling = filling
        self.durability = durability
        self.saves = saves
    }

    package var arguments: [String] {
        [
            subject.rawValue, directory, String(seed), String(filling), String(durability.rawValue),
            String(saves), String(compactEvery), killPoint?.text ?? "-",
        ]
    }

    /// `nil` for a command line that is none.
    package init?(arguments: [String]) {
        guard arguments.count == 8, let subject = WorkSubject(rawValue: arguments[0]),
            let seed = UInt64(arguments[2]), let filling = Int(arguments[3]),
            let rawDurability = UInt8(arguments[4]),
            let durability = Durability(rawValue: rawDurability), let saves = Int(arguments[5]),
            let compactEvery = Int(arguments[6])
        else { return nil }
        self.init(
            subject, directory: arguments[1], seed: seed, filling: filling,
            durability: durability, saves: saves)
        self.compactEvery = compactEvery
        killPoint = KillPoint(text: arguments[7])
    }
}

/// A line that a worker writes.
package enum WorkReport: Hashable, Sendable {
    /// The store is open, after so many microseconds, with these contents.
    case opened(digest: UInt64, saves: Int, microseconds: Int)
    /// The next save is under way, with these new rows, if any.
    case began(save: Int, rows: ClosedRange<RowID>?)
    case acknowledged(save: Int)
    case closed
    case failed(String)

    package var line: String {
        switch self {
        case .opened(let digest, let saves, let microseconds):
            "O \(digest) \(saves) \(microseconds)\n"
        case .began(let save, let rows):
            "B \(save) \(rows?.lowerBound ?? 0) \(rows?.upperBound ?? 0)\n"
        case .acknowledged(let save): "A \(save)\n"
        case .closed: "C\n"
        case .failed(let text): "E \(text.split(separator: "\n").joined(separator: " "))\n"
        }
    }

    /// `nil` for a line that is none, or not whole.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().map { UInt64($0) }
        switch (words.first, numbers.count) {
        case ("O", 3):
            guard let digest = numbers[0], let saves = numbers[1], let time = numbers[2] else {
                return nil
            }
            self = .opened(digest: digest, saves: Int(saves), microseconds: Int(time))
        case ("B", 3):
            guard let save = numbers[0], let first = numbers[1].flatMap(UInt32.init(exactly:)),
                let last = numbers[2].flatMap(UInt32.init(exactly:)), first <= last
            else { return nil }
            self = .began(save: Int(save), rows: first == 0 ? nil : RowID(first)...RowID(last))
        case ("A", 1):
            guard let save = numbers[0] else { return nil }
            self = .acknowledged(save: Int(save))
        case ("C", 0): self = .closed
        case ("E", _): self = .failed(String(line.dropFirst(2)))
        default: return nil
        }
    }
}
