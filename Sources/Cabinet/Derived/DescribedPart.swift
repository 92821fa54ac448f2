import CabinetBackend

/// The derived tables that a catalog describes, as a part of a store whose classes it describes, too.
struct DescribedPart: StorePart {
    let schema: StoreSchema
    /// The kinds that there are.
    let kinds: [DerivedKeeper.Type]

    func setUp(in store: Store) throws {
        let derived = DerivedPart(kinds: kinds).makeTables(in: store)
        let names = Set(try store.reader.tables().lazy.filter { $0.kind == .ordered }.map(\.name))
        let unused = store.annex(UnusedTables.self) { _ in UnusedTables() }
        for storedClass in store.classes {
            let entries = try store.reader.derivedEntries(ofClass: storedClass.number)
            guard !entries.all.isEmpty, let described = schema[storedClass.number],
                described.problem == nil
            else { continue }
            let tables = derived.makeTables(of: storedClass)
            for entry in entries.all {
                let keeper = derived.keepers.first { type(of: $0).kind == entry.kind }
                guard let keeper else { continue }
                var problem: String?
                do throws(UnusedTable.Reason) {
                    let made = try keeper.describe(entry, of: storedClass, described)
                    problem = made.problem
                    if !names.contains(entry.table) { problem = "its table is not there" }
                    if !tables.add(made.table) { problem = "there are two of its name" }
                } catch {
                    problem = error.text
                }
                guard let problem else { continue }
                unused.all.append(
                    UnusedTable(
                        className: storedClass.name, kind: entry.kind, name: entry.name,
                        reason: problem))
            }
        }
    }
}

/// A derived table that cannot be used without its class, and why. `Sendable`: a value.
package struct UnusedTable: Sendable, Hashable {
    /// Why a table cannot be used.
    struct Reason: Error { let text: String }

    /// The storage name of its class.
    package let className: String
    let kind: UInt8
    /// Its name.
    package let name: String
    /// Why it cannot be used.
    package let reason: String

    /// With the name of its class.
    package var fullName: String { "\(className).\(name)" }
}

/// Those of a store.
private final class UnusedTables {
    var all: [UnusedTable] = []
}

extension Store {
    /// The tables that the catalog describes and that this store, made of the catalog alone, cannot use.
    var unusedTables: [UnusedTable] { annexIfMade(UnusedTables.self)?.all ?? [] }
}

extension DerivedEntry {
    /// Why a table that is not complete cannot be used.
    var whyUnusable: String {
        switch state {
        case .unknown: "a newer program says how far it is"
        case .building: "it is being built"
        case .complete: "it is complete"
        case .behind where since == 0: "it is to be made anew"
        case .behind: "a program that does not know it has written the class since"
        case .catchingUp: "it is being brought up to date"
        case .refused: "it was to be unique, and is not"
        }
    }
}
