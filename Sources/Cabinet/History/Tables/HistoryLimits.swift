import CLibrary
import CabinetBackend

/// How much of its history a store keeps, once that has moved out of the log: ``StoreContainer/limitHistory(to:)``.
/// `Sendable`: a value.
///
/// History goes in parts of about 64 MiB, the oldest first, when a worker moves more out of the log, which it
/// does each 256 KiB of commits. The part that is being filled stays in any case.
public struct HistoryLimits: Hashable, Sendable {
    /// The most bytes that it takes; `nil`: any number.
    public var bytes: UInt64?
    /// The most seconds between the last commit of a part and the present, by this machine's clock;
    /// `nil`: any number.
    public var age: UInt64?

    /// The given limits.
    public init(bytes: UInt64? = nil, age: UInt64? = nil) { (self.bytes, self.age) = (bytes, age) }

    /// Of the tables, the oldest first, those that are beyond the limits.
    func retired(of tables: [HistoryTable], now: UInt64 = UInt64(time(nil))) -> [HistoryTable] {
        var size = tables.reduce(0) { $0 + $1.size }
        var retired: [HistoryTable] = []
        for table in tables.dropLast() {
            let seconds = table.time / 1_000_000
            let isOld = age.map { seconds < now && now - seconds > $0 } ?? false
            guard isOld || size > bytes ?? .max else { break }
            size -= table.size
            retired.append(table)
        }
        return retired
    }

    // MARK: The entry in the catalog

    fileprivate static let key = "history"

    /// Bytes and age, UInt64 each, little-endian; the highest number for none.
    fileprivate var value: [UInt8] {
        [bytes ?? .max, age ?? .max].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }

    fileprivate init?(_ value: [UInt8]) {
        guard value.count == 16 else { return nil }
        func number(_ offset: Int) -> UInt64? {
            let number = value.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            return number == .max ? nil : number
        }
        self.init(bytes: number(0), age: number(8))
    }
}

extension BackendReader {
    /// The limits of history; without an entry in the catalog there are none.
    func historyLimits() throws(BackendError) -> HistoryLimits {
        try catalogEntry(HistoryLimits.key).flatMap { HistoryLimits($0) } ?? HistoryLimits()
    }
}

extension Backend {
    /// - Throws: what a commit throws.
    func setHistoryLimits(_ limits: HistoryLimits) throws(BackendError) {
        let batch = makeBatch()
        do throws(BackendError) {
            try batch.put(limits.value, under: Array(HistoryLimits.key.utf8), in: .catalog)
        } catch {
            discard(batch)
            throw error
        }
        try commit(batch)
    }
}
