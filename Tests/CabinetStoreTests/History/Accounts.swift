import CabinetBackend

@testable import Cabinet

/// What keeps its history.
final class LedgerAccount: StoredObject {
    @Field var name = ""
    @Many(inverse: \LedgerEntry.account) var entries: [LedgerEntry]

    override class var keepsHistory: Bool { true }

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

final class LedgerEntry: StoredObject {
    @Field var text = ""
    @Field var cents = 0
    @One var account: LedgerAccount?

    override class var keepsHistory: Bool { true }
    override class var indexes: [Index] { [.ordered(\LedgerEntry.cents)] }

    convenience init(_ text: String, cents: Int, in account: LedgerAccount? = nil) {
        self.init()
        (self.text, self.cents, self.account) = (text, cents, account)
    }
}

/// As ``LedgerEntry``, by a program that does not keep its history.
final class ForgetfulLedgerEntry: StoredObject {
    @Field var text = ""
    @Field var cents = 0
    @One var account: ForgetfulAccount?

    override class var storageName: String { "LedgerEntry" }
    override class var indexes: [Index] { [.ordered(\ForgetfulLedgerEntry.cents)] }
}

final class ForgetfulAccount: StoredObject {
    @Field var name = ""
    @Many(inverse: \ForgetfulLedgerEntry.account) var entries: [ForgetfulLedgerEntry]

    override class var storageName: String { "LedgerAccount" }
}

/// What keeps none.
final class LedgerRemark: StoredObject {
    @Field var text = ""
    @One var entry: LedgerEntry?

    convenience init(_ text: String, on entry: LedgerEntry? = nil) {
        self.init()
        (self.text, self.entry) = (text, entry)
    }
}

enum Books {
    static let classes: [StoredObject.Type] = [LedgerAccount.self, LedgerEntry.self]
    static let withRemarks: [StoredObject.Type] = classes + [LedgerRemark.self]
    static let forgetful: [StoredObject.Type] = [ForgetfulAccount.self, ForgetfulLedgerEntry.self]
}

/// All that a store has of accounts, entries and named buffers, as text.
extension Store {
    func booksAsText() throws -> [String] {
        var lines: [String] = []
        for account in try objects(of: LedgerAccount.self) {
            let entries = account.entries.map { "\($0.rowID)" }.joined(separator: " ")
            lines.append("account \(account.rowID) \(account.name): \(entries)")
        }
        for entry in try objects(of: LedgerEntry.self) {
            let owner = entry.account.map { "\($0.rowID)" } ?? "none"
            lines.append("entry \(entry.rowID) \(entry.text) \(entry.cents) of \(owner)")
        }
        for name in try namedBuffers.all() {
            let buffer = try namedBuffers.buffer(for: name)
            lines.append(
                "name \(name) \(buffer.map { "\($0.withUnsafeBytes { Array($0) })" } ?? "")")
        }
        lines.append(
            "\(try count(of: LedgerAccount.self)) accounts, \(try count(of: LedgerEntry.self)) entries"
        )
        return lines.sorted()
    }
}
