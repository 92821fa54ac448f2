import CabinetBackend

/// A connection to a database that understands SQL. Not `Sendable`: one thread at a time uses it, but each
/// call may come from another one.
package protocol SQLConnection: AnyObject {
    /// Makes a statement of one piece of SQL, whose parameters are `$1`, `$2` …
    func prepare(_ text: String) throws(BackendError) -> any SQLStatement

    /// Runs pieces of SQL that have neither parameters nor answers.
    func run(_ text: String) throws(BackendError)

    /// Begins a transaction, which sees one state of the database from its first read on.
    /// - Throws: ``BackendError/busy(path:holder:)`` if others write for longer than patience lasts.
    func begin(_ purpose: TransactionPurpose) throws(BackendError)

    /// Makes what the transaction has changed happen.
    /// - Throws: then nothing of it has happened, and the transaction is still to be ended.
    func commit() throws(BackendError)

    /// Whether what the last transaction was to change may show all the same, though ``commit()`` threw: after a
    /// crash, unless a safe transaction was made before that. Default: `false`.
    var mayShowLater: Bool { get }

    /// Ends the transaction without its changes.
    func rollBack()

    /// Ends the use of the connection and its statements.
    func close()
}

extension SQLConnection {
    package var mayShowLater: Bool { false }
}

/// What a transaction is for. `Sendable`: a value.
package enum TransactionPurpose: Hashable, Sendable {
    /// It changes nothing.
    case reading
    /// It writes, and no other transaction does meanwhile. One that is not to be safe need not survive a power
    /// cut unless a later safe one does: numbers that are given out, for example, and who uses the store.
    case writing(isSafe: Bool)

    /// For what need not survive a power cut.
    static let bookkeeping = TransactionPurpose.writing(isSafe: false)
}

/// A prepared statement. Parameters are counted from 1, columns from 0. All parameters are bound anew before
/// each use; bytes must stay where they are until ``reset()``.
package protocol SQLStatement: AnyObject {
    func bind(_ number: Int64, at index: Int32)
    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32)
    func bind(_ text: String, at index: Int32)
    func bindNull(at index: Int32)
    /// For values that other programs see as columns. Default, for databases without such columns: NULL.
    func bind(_ real: Double, at index: Int32)
    func bind(copyOf bytes: [UInt8], at index: Int32)

    /// Goes on to the next row of the answer. `false`: there is none.
    func step() throws(BackendError) -> Bool

    /// Ends the answer, whether it was read to its end or not.
    func reset()

    /// Runs a statement that changes rows, and resets it. Returns how many it has changed.
    @discardableResult
    func run() throws(BackendError) -> Int

    func number(_ column: Int32) -> Int64
    /// Live until the next step or reset. Empty for NULL.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
    func text(_ column: Int32) -> String
    func isNull(_ column: Int32) -> Bool
}

extension SQLStatement {
    package func bind(_ real: Double, at index: Int32) { bindNull(at: index) }
    package func bind(copyOf bytes: [UInt8], at index: Int32) { bindNull(at: index) }

    /// Binds the numbers, from the first parameter on.
    func bind(_ numbers: Int64...) {
        for (index, number) in numbers.enumerated() { bind(number, at: Int32(index + 1)) }
    }

    /// The first number of the answer; `nil`: there is no row, or the number is NULL. Resets it.
    func firstNumber() throws(BackendError) -> Int64? {
        defer { reset() }
        return try step() && !isNull(0) ? number(0) : nil
    }
}

/// Where a store is kept: what a database of one kind has of its own. `Sendable`: all its calls may come from
/// any thread.
package protocol SQLHost: Sendable {
    /// What errors call the engine.
    var name: String { get }
    /// Where the store is, as its user would say it.
    var location: String { get }
    var words: SQLWords { get }
    var limits: BackendLimits { get }

    /// A new connection to the store, which is there. Default, for a store that its route asks by connections of
    /// its own: there is none.
    func connect() throws(BackendError) -> any SQLConnection

    /// What this process is called among the users of the store.
    var user: SQLUser { get }
    /// Whether a user that is registered is no more; `nil`: that cannot be found out from here.
    func hasEnded(_ user: SQLUser) -> Bool?

    /// Whether other programs see fields of records as columns of the database.
    func showsColumns(_ connection: any SQLConnection) throws(BackendError) -> Bool

    /// Whether others cannot see whether a process of this machine is alive, so that it has to say so.
    var isFarAway: Bool { get }

    /// A number of the place where the database is, which a copy of it does not have. Default: 0, it has none.
    var place: Int64 { get }
    /// A number of the machine's present run, which a power cut ends, where it can take back commits that
    /// were seen. Default: 0, where it cannot.
    var run: Int64 { get }

    /// Has the database write itself anew, without bytes of what was removed. Default, where that is the
    /// affair of who runs the server: nothing.
    func rewrite() throws(BackendError)
}

extension SQLHost {
    package var isFarAway: Bool { false }
    package var place: Int64 { 0 }
    package var run: Int64 { 0 }
    package func connect() throws(BackendError) -> any SQLConnection {
        throw .unsupported("sessions of \(name)")
    }
    package func rewrite() {}
}

/// A process that uses a store. `Sendable`: a value.
package struct SQLUser: Hashable, Sendable {
    /// Within which processes have different numbers: a machine that runs, or a part of it.
    package var realm: String
    package var process: Int64
    /// When the process began, by a clock of the realm; 0: not known.
    package var began: Int64

    package init(realm: String, process: Int64, began: Int64) {
        self.realm = realm
        self.process = process
        self.began = began
    }
}

/// The words in which databases differ. `Sendable`: a value.
package struct SQLWords: Sendable {
    /// The type of 64-bit integers.
    package var integer: String
    /// The type of integers that is the key of a table, and orders it.
    package var rowNumber: String
    /// The type of bytes, which are compared one by one, unsigned.
    package var bytes: String
    /// What is said behind a table that is to lie in the order of its key.
    package var inKeyOrder: String

    package init(integer: String, rowNumber: String, bytes: String, inKeyOrder: String) {
        self.integer = integer
        self.rowNumber = rowNumber
        self.bytes = bytes
        self.inKeyOrder = inKeyOrder
    }
}
