/// A reader of bytes that may come from anywhere, and must survive them.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The readers of `DataBuffer`, in an order that the bytes choose.
    case dataBuffer
    /// The operations in a batch or a frame.
    case operations
    /// A snapshot file.
    case snapshot
    /// A segment of the log: its header, its frames, and the commits that they make.
    case segment
    /// The catalog's entries, the lists of tables, stretches of use, the marker of a clean close.
    case catalog
    /// A Tokyo Cabinet hash file, read where it is mapped.
    case hashImage
    /// A run of an ordered table.
    case sortedRun
    /// What a catalog says of a class's layouts, and a record that they are to explain.
    case layoutEntries
    /// A `Codable` value in the compact form.
    case codable
    /// The demo's importer.
    case propertyList
    /// A document with objects that a store imports.
    case document

    /// Reads `bytes`. Every outcome is fine but a trap, or a breach of the reader's own promises,
    /// which traps too.
    package func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .dataBuffer: BufferAttempt.run(bytes)
        case .operations: OperationAttempt.run(bytes)
        case .snapshot: SnapshotAttempt.run(bytes)
        case .segment: SegmentAttempt.run(bytes)
        case .catalog: CatalogAttempt.run(bytes)
        case .hashImage: HashImageAttempt.run(bytes)
        case .sortedRun: RunAttempt.run(bytes)
        case .layoutEntries: LayoutAttempt.run(bytes)
        case .codable: CodableAttempt.run(bytes)
        case .propertyList: ImportAttempt.run(bytes)
        case .document: DocumentAttempt.run(bytes)
        }
    }
}
