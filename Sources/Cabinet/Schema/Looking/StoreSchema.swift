import CabinetBackend

/// What a store's catalog says of its classes, for programs that have none of them.
///
/// ```swift
/// let schema = try StoreSchema(backend)
/// for field in schema["Song"]?.fields ?? [] { print(field.name, field.type) }
/// ```
///
/// `Sendable`: a value, as the catalog was when it was read.
public struct StoreSchema: Hashable, Sendable {
    /// In the order in which the store first saved them.
    public let classes: [Class]
    /// Where records keep their version; `nil` if the catalog does not say, as in a directory of
    /// BNRPersistence that was not saved to since.
    public let versioning: Versioning?
    private let placesByName: [String: Int]
    private let placesByNumber: [UInt8: Int]

    /// Reads the catalog of `backend`: of its last commit, or as of the one that it is frozen at.
    ///
    /// A class whose entry cannot be understood is there all the same, and its
    /// ``Class/problem`` says why.
    /// - Throws: a ``BackendError``.
    public init(_ backend: any BackendReader) throws {
        let tables = try backend.tables().filter { $0.kind == .record }
        let names = Dictionary(tables.map { ($0.classNumber, $0.name) }) { first, _ in first }
        let tracked = try backend.trackedClasses()
        let layouts = try CatalogLayouts(backend)
        classes = tables.map { table in
            var list: LayoutList?
            var problem: StoreError?
            do throws(StoreError) {
                list = try layouts.saved(ofClass: table.classNumber, named: table.name)?.list
            } catch {
                problem = error
            }
            return Class(
                table, list, problem, names,
                tracksReferrers: tracked.contains(table.classNumber))
        }
        versioning = try backend.catalogEntry(CatalogName.versioning).flatMap {
            Versioning(rawValue: String(decoding: $0, as: UTF8.self))
        }
        let positions = classes.indices
        placesByName = Dictionary(positions.map { [classes] in (classes[$0].name, $0) }) { one, _ in
            one
        }
        placesByNumber = Dictionary(positions.map { [classes] in (classes[$0].number, $0) }) {
            one, _ in one
        }
    }

    /// The class of that storage name.
    public subscript(name: String) -> Class? { placesByName[name].map { classes[$0] } }

    /// The class that the number stands for in references of any class.
    public subscript(number: UInt8) -> Class? { placesByNumber[number].map { classes[$0] } }
}

extension StoreSchema {
    /// One class. `Sendable`: a value.
    public struct Class: Hashable, Sendable {
        /// Its storage name.
        public let name: String
        /// What stands for it in references of any class.
        public let number: UInt8
        /// Where its records are.
        public let table: TableNumber
        /// The highest class version that was ever in force.
        public let version: UInt8
        /// Whether the store keeps a table of the referrers of its objects.
        public let tracksReferrers: Bool
        /// Each way in which its records were ever written, by their numbers; empty for a class
        /// that always wrote by hand.
        public let layouts: [Layout]
        /// Why what the catalog says of the layouts cannot be understood; `nil` if it can.
        public let problem: StoreError?

        /// The fields of the layout that was made last; empty for a class that writes by hand.
        public var fields: [Field] { layouts.last?.fields ?? [] }
        /// Whether the layout that was made last is one of declared fields.
        public var isDeclared: Bool { layouts.last?.fields != nil }
    }

    /// One way in which records of a class were written. `Sendable`: a value.
    public struct Layout: Hashable, Sendable {
        /// What a record bears: in its first byte, or from 255 on in two bytes behind one of 255.
        /// Never used again for another layout.
        public let number: UInt16
        /// The class version that was in force.
        public let version: UInt8
        /// The fields in their order; `nil` for records that the class wrote by hand.
        public let fields: [Field]?
    }

    /// One field of a layout. `Sendable`: a value.
    public struct Field: Hashable, Sendable {
        /// The name of the property in the layout that was made last of those that have it; with the
        /// number of this layout, if the name is another field's now: `title of layout 1`.
        public let name: String
        /// The name of the property in this layout.
        public let writtenName: String
        /// The form of its values: `Int32?`, `[String: [Date]]`, `Set<UUID>`, `One<Artwork>`,
        /// `Many<Song>`, `Codable<Place>`, `Custom<Money>`.
        public let type: String
        /// Whether there may be no value.
        public let isOptional: Bool
        /// What is known of a relationship; `nil` for a field that is none.
        public let relationship: Relationship?
        let form: FieldType
        /// The classes to which an inverse has kept it right since the layout was first written.
        let keptTo: Set<UInt8>
    }

    /// What is known of a relationship: its target as of the layout, the rest as it was declared
    /// last. `Sendable`: a value.
    public struct Relationship: Hashable, Sendable {
        /// The storage name of the declared class, as it is now if the store knows it.
        public let target: String
        /// The number of that class, if the store knows it.
        public let targetNumber: UInt8?
        /// Whether it leads to many objects, in order.
        public let isToMany: Bool
        /// The name of the relationship that leads back.
        public let inverse: String?
        /// `nil` for the default.
        public let deleteRule: DeleteRule?
        /// Whether an object stands in it once at most.
        public let isUnique: Bool
        /// Whether its delete rule has kept it right as long as there are records.
        let isKeptByRule: Bool
    }
}

// MARK: - Making

extension StoreSchema.Class {
    fileprivate init(
        _ table: TableDefinition, _ list: LayoutList?, _ problem: StoreError?,
        _ names: [UInt8: String], tracksReferrers: Bool
    ) {
        name = table.name
        number = table.classNumber
        self.table = table.number
        version = table.classVersion
        self.tracksReferrers = tracksReferrers
        self.problem = problem
        let facts = Dictionary((list?.relations ?? []).map { ($0.name, $0) }) { first, _ in first }
        let interruptions = list?.latestInterruptions ?? [:]
        let last = list?.layouts.last?.fields ?? []
        layouts = (list?.layouts ?? []).map { layout in
            StoreSchema.Layout(
                number: layout.number, version: layout.version,
                fields: layout.fields?.map { field in
                    let latest = list?.latestName(of: field) ?? field.name
                    let isTaken = last.contains { $0.name == latest && !field.isSame(as: $0) }
                    let name = isTaken ? "\(latest) of layout \(layout.number)" : latest
                    let kept = Self.kept(field, latest, interruptions)
                    return StoreSchema.Field(field, name, facts[name], names, keptTo: kept)
                })
        }
    }

    private static func kept(
        _ field: Layout.Field, _ name: String, _ interruptions: [String: Int]
    ) -> Set<UInt8> {
        Set(
            (field.inverses ?? []).lazy.filter {
                ($0.interruption ?? 0) >= interruptions[LayoutList.pair(name, $0.class, $0.name)]
                    ?? 0
            }.map(\.class))
    }
}

extension StoreSchema.Field {
    fileprivate init(
        _ field: Layout.Field, _ name: String, _ facts: RelationFacts?, _ names: [UInt8: String],
        keptTo: Set<UInt8>
    ) {
        self.name = name
        writtenName = field.name
        form = field.type
        self.keptTo = keptTo
        type = "\(field.type)"
        switch field.type {
        case .optional, .one: isOptional = true
        default: isOptional = false
        }
        guard let declared = field.type.target else {
            relationship = nil
            return
        }
        let number = field.class ?? names.first { $0.value == declared }?.key
        relationship = StoreSchema.Relationship(
            target: number.flatMap { names[$0] } ?? declared, targetNumber: number,
            isToMany: field.type == .many(declared), inverse: facts?.inverse,
            deleteRule: facts?.rule.flatMap(DeleteRule.init), isUnique: facts?.unique ?? false,
            isKeptByRule: facts?.rule == DeleteRule.nullify.rawValue && facts?.inverse == nil
                && facts?.wasLoose != true)
    }
}

extension FieldType {
    /// The name of the declared class of a relationship.
    fileprivate var target: String? {
        switch self {
        case .one(let name), .many(let name): name
        default: nil
        }
    }
}
