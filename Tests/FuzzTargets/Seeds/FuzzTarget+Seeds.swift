/// A file that fuzzing begins with.
package struct FuzzSeed: Sendable {
    package let name: String
    package let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
}

extension FuzzTarget {
    /// What fuzzing begins with, made here: the same bytes every time. The corpus holds them, and
    /// beside them what fuzzing found.
    package var seeds: [FuzzSeed] {
        switch self {
        // Their corpora were written out by hand.
        case .dataBuffer, .operations, .snapshot: []
        case .segment: SegmentSeeds.all
        case .catalog: CatalogSeeds.all
        case .hashImage: HashImageSeeds.all
        case .sortedRun: RunSeeds.all
        case .layoutEntries: LayoutEntrySeeds.all
        case .codable: CodableSeeds.all
        case .propertyList: ImportSeeds.propertyList
        case .document: DocumentSeeds.all
        }
    }
}
