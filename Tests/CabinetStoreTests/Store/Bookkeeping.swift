import Cabinet
import CabinetBackend

/// Entries whose postings must add up to nothing, and whose notes must not be too many.
enum Bookkeeping {
    struct Unbalanced: Error, Equatable { let sum: Int }

    final class Entry: StoredObject {
        @Field var text = ""
        @Many(inverse: \Posting.entry, onDelete: .cascade) var postings: [Posting]
        /// What else the next validation does, for a test.
        var duty: (() throws -> Void)?
        override class var storageName: String { "Entry" }

        override func validate() throws {
            let sum = postings.reduce(0) { $0 + $1.amount }
            if sum != 0 { throw Unbalanced(sum: sum) }
            let words = postings.reduce(0) { $0 + $1.notes.reduce(0) { $0 + $1.words } }
            if words > 10 { throw Unbalanced(sum: words) }
            let duty = duty
            self.duty = nil
            try duty?()
        }
    }

    final class Posting: StoredObject {
        @Field var amount = 0
        @One var entry: Entry?
        @Many(inverse: \Remark.posting, onDelete: .cascade) var notes: [Remark]
        override class var storageName: String { "Posting" }
    }

    final class Remark: StoredObject {
        @Field var words = 0
        @One var posting: Posting?
        override class var storageName: String { "Remark" }
    }

    static let classes: [StoredObject.Type] = [Entry.self, Posting.self, Remark.self]

    static func entry(_ amounts: [Int]) -> Entry {
        let entry = Entry()
        entry.postings = amounts.map { amount in
            let posting = Posting()
            posting.amount = amount
            return posting
        }
        return entry
    }

    /// The entries that break their rule, as `store` shows them.
    static func broken(in store: Store) throws -> [RowID] {
        try store.objects(of: Entry.self).compactMap { entry in
            do { try entry.validate() } catch { return entry.rowID }
            return nil
        }
    }
}
