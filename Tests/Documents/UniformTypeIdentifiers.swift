// The declaration that `StoreDocuments.swift` uses.
public struct UTType: Hashable, Sendable {}
