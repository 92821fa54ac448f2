// What documents of AppKit and SwiftUI add to a store file. Compiled where these are; the checks compile it against
// declarations of the names that it uses.

#if canImport(AppKit)
    import AppKit

    /// A document of AppKit's over a store file. A subclass names its classes, and shows ``file``.
    ///
    /// ``StoreFile`` writes each file aside, so AppKit is not to do so again. Call `updateChangeCount(.changeDone)`
    /// after edits, as of any document.
    @MainActor open class StoreDocument: NSDocument {
        /// `nil` until the document was read or is new.
        public private(set) var file: StoreFile?

        /// The classes of the objects.
        open var classes: [StoredObject.Type] { [] }

        open override func read(from url: URL, ofType typeName: String) throws {
            if let file, file.url == url { return try file.revert() }
            let found = try StoreFile(url, classes: classes, creating: false)
            let former = file
            file = found
            // AppKit asks before a document is closed only if it is edited.
            if found.isEdited { updateChangeCount(.changeDone) }
            try former?.close(discardingEdits: true)
        }

        open override func writeSafely(
            to url: URL, ofType typeName: String, for saveOperation: NSDocument.SaveOperationType
        ) throws {
            let made = try file ?? StoreFile(nil, classes: classes)
            file = made
            try made.write(
                to: url,
                moving: saveOperation != .saveToOperation
                    && saveOperation != .autosaveElsewhereOperation)
        }

        open override func close() {
            do { try file?.close(discardingEdits: true) } catch { presentError(error) }
            super.close()
        }
    }
#endif

#if canImport(SwiftUI)
    import SwiftUI
    import UniformTypeIdentifiers

    /// A document of SwiftUI's over a store file. A subclass names its classes and content types, and is the
    /// `ReferenceFileDocument`.
    @MainActor open class StoreFileDocument {
        /// The document.
        public let file: StoreFile

        /// A new document.
        public init(classes: [StoredObject.Type]) throws {
            file = try StoreFile(contents: Data(), classes: classes)
        }

        /// The document of a file that SwiftUI has read.
        public init(
            configuration: FileDocumentReadConfiguration, classes: [StoredObject.Type]
        ) throws {
            guard let data = configuration.file.regularFileContents else {
                throw CocoaError(.fileReadCorruptFile)
            }
            file = try StoreFile(contents: data, classes: classes)
        }

        /// What a save writes: the bytes of a file, which any thread may hold.
        open func snapshot(contentType: UTType) throws -> Data { try file.contents() }

        /// The file that SwiftUI writes.
        open func fileWrapper(
            snapshot: Data, configuration: FileDocumentWriteConfiguration
        ) throws -> FileWrapper {
            FileWrapper(regularFileWithContents: snapshot)
        }
    }
#endif
