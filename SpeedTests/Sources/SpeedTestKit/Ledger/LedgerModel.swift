import Cabinet
import Foundation

/// An account of the ledger of `Ledger.h`.
final class Account: StoredObject {
    @Field var name = ""
    @Many(inverse: \Posting.account, onDelete: .deny) var postings: [Posting]
}

/// An entry of the ledger, which moves money from one account to another.
final class LedgerEntry: StoredObject {
    /// Its place in the order of insertion.
    @Field var number: UInt32 = 0
    @Field var date = Date(timeIntervalSince1970: 0)
    @Field var text = ""
    @Many(inverse: \Posting.entry, onDelete: .cascade) var postings: [Posting]

    override class var indexes: [Index] {
        [.unique(\LedgerEntry.number), .ordered(\LedgerEntry.date, \LedgerEntry.number)]
    }

    override class var textIndexes: [TextIndex] {
        [.text(\LedgerEntry.text, tokenizer: .words)]
    }
}

/// What an entry adds to an account.
final class Posting: StoredObject {
    @One var entry: LedgerEntry?
    @One var account: Account?
    @Field var date = Date(timeIntervalSince1970: 0)
    @Field var cents: Int64 = 0

    override class var indexes: [Index] {
        [
            .ordered(\Posting.account, \Posting.date, \Posting.cents),
            .ordered(\Posting.date, \Posting.cents),
            .ordered(\Posting.cents),
        ]
    }
}
