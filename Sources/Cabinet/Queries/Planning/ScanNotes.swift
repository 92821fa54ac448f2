import CabinetBackend
import CabinetTextSearch

/// The queries of a store that looked at every object of a class, by their shape. Not `Sendable`: its store's.
final class ScanNotes {
    /// How many shapes are noted; of further ones only the number of queries is.
    static let shapeLimit = 64

    private struct Shape: Hashable {
        let classNumber: UInt8
        let text: String
    }

    private struct Note {
        var count = 0
        var examined = 0
        let helpers: [IndexHelper]
    }

    private var notes: [Shape: Note] = [:]
    /// How many queries of further shapes there were.
    private(set) var others = 0

    func note(
        _ storedClass: StoredClass, _ condition: Condition, _ order: [FieldOrder?],
        _ fields: ClassFields, examined: Int
    ) {
        let sorted = order.isEmpty ? "" : fields.sortedText(order)
        let shape = Shape(
            classNumber: storedClass.number, text: condition.shape(within: false) + sorted)
        if notes[shape] == nil {
            guard notes.count < Self.shapeLimit else {
                others += 1
                return
            }
            notes[shape] = Note(helpers: IndexHelper.all(for: condition, order, fields))
        }
        notes[shape]?.count += 1
        notes[shape]?.examined += examined
    }

    /// The shapes, those first for which the most objects were looked at.
    ///
    /// - Parameters:
    ///   - classes: by their numbers.
    ///   - indexes: the columns of the indexes that a class has.
    func queries(
        _ classes: [StoredClass?], indexes: (StoredClass) -> [[String]]
    ) -> [DebugReport.ScannedQuery] {
        notes.inOrder { one, other in
            one.value.examined == other.value.examined
                ? (one.key.classNumber, one.key.text) < (other.key.classNumber, other.key.text)
                : one.value.examined > other.value.examined
        }.compactMap { shape, note in
            guard let found = classes[Int(shape.classNumber)] else { return nil }
            let known = indexes(found)
            return DebugReport.ScannedQuery(
                storageName: found.name, condition: shape.text, count: note.count,
                objectsExamined: note.examined,
                helpfulIndexes: note.helpers.filter { helper in
                    !known.contains { $0.starts(with: helper.columns) }
                }.map { $0.declaration(of: found.type) })
        }
    }
}

/// An index that would narrow a query, or be in its order.
struct IndexHelper: Hashable {
    /// The names of the fields.
    let columns: [String]
    /// Of one text; `nil` for Swift's own order.
    var collation: Collation?
    var isOfElements = false

    /// As a class declares it: `.ordered(\Song.artist, \Song.year)`.
    func declaration(of type: StoredObject.Type) -> String {
        let paths = columns.map { "\\\(type).\($0)" }.joined(separator: ", ")
        if isOfElements { return ".elements(of: \(paths))" }
        return ".ordered(\(paths)" + (collation.map { ", collation: .\($0.name)" } ?? "") + ")"
    }

    /// Those for a condition and an order: one for each part of an alternative, so that they can be united.
    static func all(
        for condition: Condition, _ order: [FieldOrder?], _ fields: ClassFields
    ) -> [IndexHelper] {
        let sorting = order.compactMap { $0 }
        if let whole = one(for: condition, sorting.count == order.count ? sorting : [], fields) {
            return [whole]
        }
        guard case .any(let parts) = condition else { return [] }
        let helpers = parts.map { one(for: $0, [], fields) }
        // One part without an index is a scan.
        guard helpers.allSatisfy({ $0 != nil }) else { return [] }
        var found: [IndexHelper] = []
        for case let helper? in helpers where !found.contains(helper) { found.append(helper) }
        return found
    }

    /// Fields that must equal something, then one that lies in a range, or those of the order.
    private static func one(
        for condition: Condition, _ order: [FieldOrder], _ fields: ClassFields
    ) -> IndexHelper? {
        let limits = condition.conjuncts.compactMap(\.limit)
        var (columns, range): ([String], String?) = ([], nil)
        for limit in limits
        where limit.subject.mayBeIndexed && !columns.contains(limit.subject.name) {
            switch limit.kind {
            case .equal: columns.append(limit.subject.name)
            case .interval, .intervalOrNil, .prefix: range = range ?? limit.subject.name
            case .element, .otherThan: continue
            }
        }
        if let range, !columns.contains(range) {
            columns.append(range)
        } else if range == nil, let direction = order.first?.isDescending {
            let sorting = order.compactMap { fields.field(named: fields.names[$0.field]) }
            let isOneWay = order.allSatisfy { $0.isDescending == direction }
            if isOneWay, sorting.count == order.count, sorting.allSatisfy(\.mayBeIndexed) {
                let collation = order[0].collation
                let isPlain = order.allSatisfy { $0.collation == .unicode }
                if isPlain {
                    columns += sorting.map(\.name).filter { !columns.contains($0) }
                } else if columns.isEmpty, order.count == 1 {
                    return IndexHelper(columns: [sorting[0].name], collation: collation)
                }
            }
        }
        if !columns.isEmpty { return IndexHelper(columns: Array(columns.prefix(4))) }
        for case let limit in limits {
            if case .element = limit.kind {
                return IndexHelper(columns: [limit.subject.name], isOfElements: true)
            }
        }
        return nil
    }
}

extension ClassFields.Field {
    /// Whether an index may be of the field.
    fileprivate var mayBeIndexed: Bool { subject.mayBeIndexed }
}

extension ClassFields.Subject {
    fileprivate var mayBeIndexed: Bool { valueType is any IndexedValue.Type }
}

extension ClassFields {
    fileprivate func sortedText(_ order: [FieldOrder?]) -> String {
        let keys = order.map { order in
            order.map { order in
                names[order.field]
                    + (order.collation == .unicode ? "" : " by \(order.collation.name)")
                    + (order.isDescending ? " descending" : "")
            } ?? "something else"
        }
        return ", sorted by \(keys.joined(separator: ", "))"
    }
}
