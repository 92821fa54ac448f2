import Cabinet

/// A node of any graph, cycles included. Deleting one deletes its children, and takes it out of all
/// nodes that it was a child of; a locked one, however deep, denies it.
final class Node: StoredObject {
    private var storedName = ""
    private var storedIsLocked = false
    private var storedChildren: [Node] = []

    var name: String {
        get {
            willRead()
            return storedName
        }
        set {
            willChange()
            storedName = newValue
        }
    }
    var isLocked: Bool {
        get {
            willRead()
            return storedIsLocked
        }
        set {
            willChange()
            storedIsLocked = newValue
        }
    }
    var children: [Node] {
        get {
            willRead()
            return storedChildren
        }
        _modify {
            willChange()
            yield &storedChildren
        }
    }

    convenience init(_ name: String, _ children: [Node] = []) {
        self.init()
        storedName = name
        storedChildren = children
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedName)
        buffer.writeBool(storedIsLocked)
        buffer.writeReferences(storedChildren)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedName = try buffer.readString()
        storedIsLocked = try buffer.readBool()
        storedChildren = try buffer.readReferences()
    }

    override func dissolveAllRelationships() { storedChildren = [] }

    override func prepareForDelete() throws {
        for child in children { try store?.delete(child) }
        for case let parent as Node in try store?.referrers(of: self) ?? [] {
            parent.children.removeAll { $0 === self }
        }
        if isLocked { throw StoreError.denied(class: "Node", row: rowID, reason: "locked") }
    }
}
