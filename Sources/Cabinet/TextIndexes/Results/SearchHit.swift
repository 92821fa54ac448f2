import CabinetTextSearch

/// An object that a search has found.
///
/// Not `Sendable`: the object belongs to its store.
public struct SearchHit<Object: StoredObject> {
    /// The object, with its content.
    public let object: Object
    /// How well it fits, by BM25: the higher, the better. Comparable within one search; 0 in hits in another
    /// order than that of relevance, for which nothing is computed.
    public let score: Double
    /// How many typos were forgiven.
    public let typos: Int
    let search: FoundTexts

    /// What the search finds in the text of `property` now, by where it begins, without overlaps; empty for
    /// a property that was not searched. Ranges are of whole characters, and one where they touch.
    /// Of several text indexes of the property, all that were searched say what was found.
    ///
    /// Cost: takes the text apart.
    public func ranges(in property: KeyPath<Object, String>) -> [Range<String.Index>] {
        ranges(in: object[keyPath: property], search.fields(of: property))
    }

    /// As ``ranges(in:)-(KeyPath<Object,String>)``, for a property that may have no text.
    public func ranges(in property: KeyPath<Object, String?>) -> [Range<String.Index>] {
        object[keyPath: property].map { ranges(in: $0, search.fields(of: property)) } ?? []
    }

    /// The part of the text of `property`, of about `length` characters, in which most was found; the
    /// beginning of the text if nothing was. A length below 1 counts as 1.
    public func snippet(
        in property: KeyPath<Object, String>, length: Int = 120
    ) -> SearchSnippet {
        SearchSnippet(object[keyPath: property], ranges(in: property), length: length)
    }

    /// As ``snippet(in:length:)-(KeyPath<Object,String>,_)``, for a property that may have no text.
    public func snippet(
        in property: KeyPath<Object, String?>, length: Int = 120
    ) -> SearchSnippet {
        SearchSnippet(object[keyPath: property] ?? "", ranges(in: property), length: length)
    }

    private func ranges(in text: String, _ fields: [Int]) -> [Range<String.Index>] {
        fields.isEmpty ? [] : search.ranges(in: text, fields: fields)
    }
}

/// What a search looked for, for those who ask where it was found.
final class FoundTexts {
    private let search: CompiledSearch
    private let sources: [TextSource]
    /// What is known of the class; `nil` if no properties are asked for.
    private let fields: ClassFields?
    /// The class record, while its store is there.
    private weak var storedClass: StoredClass?
    /// Made when it is first asked: most programs take the objects alone.
    private lazy var matcher = SearchMatcher(search)

    init(_ search: CompiledSearch, _ sources: [TextSource] = [], _ fields: ClassFields? = nil) {
        self.search = search
        self.sources = sources
        self.fields = fields
        storedClass = fields?.storedClass
    }

    /// The numbers of the fields that have the text of `property`: one for each text index of it.
    func fields(of property: AnyKeyPath) -> [Int] {
        let same = sources.indices.filter { sources[$0].keyPath == property }
        // Hits may outlive their store.
        guard same.isEmpty, let fields, storedClass != nil else { return same }
        return sources.indices.filter { sources[$0].stands(for: property, fields) }
    }

    /// What any of some fields that have this text finds in it.
    func ranges(in text: String, fields: [Int]) -> [Range<String.Index>] {
        let texts = search.fields.indices.map { fields.contains($0) ? text : "" }
        guard let (_, found) = matcher.look(through: texts, forRanges: true) else { return [] }
        let ranges = SearchMatcher.joined(fields.flatMap { found.ranges[$0] })
        return FoundRanges.ofCharacters(in: text, ranges)
    }
}

/// What a search has found: some of the hits, and how many there are in all.
///
/// Not `Sendable`: its objects belong to their store.
public struct SearchResults<Object: StoredObject>: RandomAccessCollection {
    /// A hit is made when it is asked for: code that is not specialised for the class would make each as
    /// slowly as a record is read.
    let found: FoundObjects
    /// How many objects were found, limit and offset left aside.
    public let totalCount: Int
    /// How the search was answered.
    public let plan: QueryPlan

    public var startIndex: Int { 0 }
    public var endIndex: Int { found.objects.count }
    public subscript(position: Int) -> SearchHit<Object> {
        let row = found.rows[position]
        return SearchHit(
            object: unsafeDowncast(found.objects[position], to: Object.self), score: row.score,
            typos: row.typos, search: found.search)
    }

    /// The objects of the hits, in their order.
    public var objects: [Object] { unsafeBitCast(found.objects, to: [Object].self) }
}

/// The objects that a search has found, each with its row and score at the same place.
struct FoundObjects {
    let rows: [ScoredRow]
    let objects: [StoredObject]
    let search: FoundTexts

    /// - Parameters:
    ///   - rows: those that were to be found.
    ///   - objects: the object of each row; `nil` if it is gone.
    init(_ rows: [ScoredRow], _ objects: [StoredObject?], _ search: FoundTexts) {
        let gone = objects.indices.filter { objects[$0] == nil }
        self.init(rows, objects.compactMap(\.self), without: gone, search)
    }

    /// - Parameters:
    ///   - rows: those that were to be found.
    ///   - objects: the objects of the rows but for those at the places `gone`, which ascend.
    init(
        _ rows: [ScoredRow], _ objects: [StoredObject], without gone: [Int], _ search: FoundTexts
    ) {
        (self.objects, self.search) = (objects, search)
        guard !gone.isEmpty else {
            self.rows = rows
            return
        }
        var left = gone[...]
        self.rows = rows.indices.compactMap { place in
            if place != left.first { return rows[place] }
            left.removeFirst()
            return nil
        }
    }
}

/// The order of what a search finds, if the query has none. `Sendable`: a value.
public enum SearchOrder: Hashable, Sendable {
    /// Fewest typos first, then the highest score, then the lowest row.
    case relevance
    /// The lowest row first.
    case row
}
