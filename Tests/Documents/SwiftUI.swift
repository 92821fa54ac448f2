// The declarations of SwiftUI that `StoreDocuments.swift` uses, so that Linux compiles it.
@_exported import Foundation

open class FileWrapper {
    public var regularFileContents: Data?
    public init(regularFileWithContents contents: Data) { regularFileContents = contents }
}

public struct FileDocumentReadConfiguration {
    public var file: FileWrapper
}

public struct FileDocumentWriteConfiguration {}
