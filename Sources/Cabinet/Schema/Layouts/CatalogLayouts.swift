import CabinetBackend

/// What the catalog says of the layouts of all classes, read in one walk.
///
/// A layout has an entry of its own, which never changes. What else is kept for a class is written
/// again with each change, under a number that counts up; the highest one counts. A batch requires
/// that the numbers it uses are free, so of two stores that write the same class at once one begins
/// again.
struct CatalogLayouts {
    private struct Entries {
        var layouts: [(number: UInt16, bytes: [UInt8])] = []
        var relations: (writing: UInt32, bytes: [UInt8])?
    }

    private var entries: [UInt8: Entries] = [:]

    /// - Throws: a ``BackendError``.
    init(_ backend: any BackendReader) throws(BackendError) {
        let run = EntryRun()
        let cursor = try backend.entries(in: .catalog, range: .everything, descending: false)
        while try cursor.next(run) {
            while let (key, value) = run.next() { take(key, value) }
        }
    }

    private mutating func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard let name = CatalogName(key) else { return }
        switch name {
        case .layout(let number, let classNumber):
            entries[classNumber, default: Entries()].layouts.append((number, Array(value)))
        case .relations(let writing, let classNumber):
            let known = entries[classNumber]?.relations?.writing ?? 0
            guard writing > known else { return }
            entries[classNumber, default: Entries()].relations = (writing, Array(value))
        }
    }

    /// What there is of the class of that number; `nil` if nothing.
    /// - Throws: ``StoreError/badCatalog(class:reason:)``, ``StoreError/newerFormat(class:field:found:)``.
    func saved(ofClass number: UInt8, named name: String) throws(StoreError) -> SavedLayouts? {
        guard let found = entries[number] else { return nil }
        var unknown: (field: String, type: String)?
        do {
            var saved = SavedLayouts()
            for (number, bytes) in found.layouts.inOrder(by: { $0.number < $1.number }) {
                saved.list.layouts.append(try Layout(number: number, bytes, unknown: &unknown))
                saved.highest = number
            }
            if let (writing, bytes) = found.relations {
                saved.writing = writing
                try saved.readRelations(bytes)
            }
            return saved
        } catch {
            if let unknown {
                throw .newerFormat(class: name, field: unknown.field, found: unknown.type)
            }
            throw .badCatalog(class: name, reason: "\(error)")
        }
    }
}

struct SavedLayouts: Hashable {
    var list = LayoutList()
    /// The number of the last writing; 0 if there was none.
    var writing: UInt32 = 0
    /// The highest number that a layout was ever given; 0 if the entries do not say.
    var highest: UInt16 = 0

    init(list: LayoutList = LayoutList()) { self.list = list }
}
