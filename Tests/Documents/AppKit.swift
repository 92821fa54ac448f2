// The declarations of AppKit that `StoreDocuments.swift` uses, so that Linux compiles it.
@_exported import Foundation

@MainActor open class NSDocument {
    public enum SaveOperationType: UInt, Sendable {
        case saveOperation, saveAsOperation, saveToOperation, autosaveInPlaceOperation
        case autosaveElsewhereOperation, autosaveAsOperation
    }

    public enum ChangeType: UInt, Sendable {
        case changeDone, changeUndone, changeCleared, changeReadOtherContents, changeAutosaved
    }

    public init() {}
    open func read(from url: URL, ofType typeName: String) throws {}
    open func writeSafely(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType
    ) throws {}
    open func updateChangeCount(_ change: ChangeType) {}
    @discardableResult open func presentError(_ error: any Error) -> Bool { false }
    open func close() {}
}
