import CabinetBackend

/// Adds keys of its own to every commit: an index, a text, the table of referrers.
///
/// A store tells its participants of each record that one of its commits writes or removes,
/// whatever made the change: an edit, the other side of a relationship, undo, a delete rule, an
/// upgrade. A participant compares with what is saved as of the store's basis; if another store
/// commits meanwhile, the commit conflicts and is begun again.
///
/// ## Why no key is lost
///
/// Let a save *C* of a store, with the basis *B*, change a class that has an index (a text index, the table of
/// referrers), which the catalog calls kept by saves since the commit *K*.
///
/// - *K* is not after *B*: the store knows it, as ``CatalogLook`` is as of *B*. *C* enters the keys, or says in
///   the catalog that the index is left behind, or throws ``StoreError/indexLeftOut(class:index:)``. If the
///   catalog says something else before *C* is made, *C* conflicts: it requires its entries unchanged or, of a
///   store that was alone, that no commit has come.
/// - *K* is after *B* and before *C*, and the store's participant follows the class: *C* conflicts likewise.
///   Otherwise *C* began before the index was registered. The builder waits for such commits before it reads
///   records (``Store/waitForUnawares(_:)``). A save that would call the index of an empty class complete, or
///   enter the references of a class, leaves that to a later commit if it sees *C* under way; if *C* has ended
///   by then, it came after that save's basis, which the save requires to be the last one.
/// - *K* is after *C*: what is complete by a builder was read as of a later commit than *C*, and what is
///   complete because the class was empty had that save's basis at or after *C*.
protocol CommitParticipant: AnyObject {
    /// Whether the participant follows `storedClass`: commits pass it the records of the class. The
    /// store asks when the participant is added, and again when another store has committed.
    func follows(_ storedClass: StoredClass) -> Bool

    /// Whether ``RecordEvent/former`` has the replaced records of this class. Default: no.
    func compares(_ storedClass: StoredClass) -> Bool

    /// Whether it adds to commits what they replace. It gets no new records: of these
    /// ``StoredClass/hasWrittenNew`` is all that it need know. Default: no.
    var keepsFormers: Bool { get }

    /// Whether it asks for ``RecordEvent/references``. Default: no.
    var countsReferences: Bool { get }

    /// A commit begins; nothing was added to it yet. Objects that are read here may become pending,
    /// and a save writes them. A throw fails the commit.
    func begin(_ commit: Commit) throws

    /// A record was added to the batch of `commit` just now. A row comes once a commit. A throw
    /// fails the commit, with everything still pending.
    func note(_ event: RecordEvent, in commit: Commit) throws

    /// All records of `commit` were added; the backend has not seen it. A throw fails it.
    func join(_ commit: Commit) throws

    /// The commit was made and has the number, or, `nil`, was given up. One that had nothing to change
    /// was made as of the store's basis.
    func didEnd(committed number: CommitNumber?)

    /// Others have committed or registered something: what is known may be out of date.
    func forgetWhatIsSaved()
}

struct RecordEvent {
    enum Kind {
        /// The record is new. Its row may have had one before, if the delete was undone.
        case inserted
        case updated
        case deleted
    }

    let kind: Kind
    let storedClass: StoredClass
    /// The object, with its content; of a deleted record, perhaps a fault. While an upgrade
    /// rewrites a class, a copy outside the store stands for an object with pending changes.
    let object: StoredObject
    /// The record as it was saved last, until ``CommitParticipant/note(_:in:)`` returns; absent if no
    /// participant compares.
    let former: SavedRecord
    /// What the new record refers to, among the classes that track their referrers; none if no participant
    /// asks.
    let references: WrittenReferences

    /// Whether the record is known to refer to what the one that it replaces refers to.
    let keepsReferences: Bool

    /// Whether a copy stands for an object with pending changes.
    var isStandIn: Bool { object.classReference == nil }
}

extension CommitParticipant {
    var keepsFormers: Bool { false }
    var countsReferences: Bool { false }
    func compares(_ storedClass: StoredClass) -> Bool { false }
}
