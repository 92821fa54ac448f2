import CabinetTokyo

/// What a sequence of operations has brought to a disk for certain, and what only perhaps: from
/// here ``cut(_:)`` builds the states in which a power cut may leave it.
///
/// Certain is what POSIX promises and nothing more: a file's content with the return of its sync,
/// a name with that of its directory's. Everything else may be there or not, in any order.
package struct DiskHistory: Sendable {
    /// A change of a file's content.
    enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
        case reserve(size: Int)
    }

    struct Node: Sendable {
        var isDirectory = false
        /// `nil`: nothing of the content is certain.
        var certain: SparseFile?
        var changes: [Change] = []
        /// Written around the file layer, through a map.
        var isView = false
        /// What a view was since it was last certain.
        var images: [SparseFile] = []
    }

    struct Name: Hashable, Sendable {
        var directory: Int
        var name: String
    }

    /// Names that change together or not at all.
    struct NameChange: Sendable {
        var entries: [(name: Name, node: Int?)]
    }

    let root: String
    let isView: @Sendable (String) -> Bool
    var nodes: [Int: Node] = [0: Node(isDirectory: true)]
    var certainNames: [Name: Int] = [:]
    var nameChanges: [NameChange] = []
    private var names: [Name: Int] = [:]
    private var recorded: [Int: Int] = [:]
    private var nextNode = 1

    /// The history of a directory `root` that holds `image` for certain. `isView` says which paths
    /// below it are written around the file layer.
    package init(
        root: String, holding image: DiskImage = DiskImage(),
        isView: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.root = root
        self.isView = isView
        for path in image.directories.sorted() { apply(.makeDirectory(path: root + "/" + path)) }
        for (path, content) in image.files {
            guard let name = name(root + "/" + path) else { continue }
            let node = Node(certain: content, isView: isView(path))
            change([(name, makeNode(node))])
        }
        for change in nameChanges {
            for entry in change.entries { certainNames[entry.name] = entry.node }
        }
        nameChanges = []
    }

    // MARK: Names

    private mutating func makeNode(_ node: Node) -> Int {
        nodes[nextNode] = node
        nextNode += 1
        return nextNode - 1
    }

    /// The name that `path` is; `nil` for the root and for what lies outside of it.
    private func name(_ path: String) -> Name? {
        guard path.hasPrefix(root + "/") else { return nil }
        var directory = 0
        var parts = path.dropFirst(root.count + 1).split(separator: "/").map(String.init)
        let last = parts.removeLast()
        for part in parts {
            guard let next = names[Name(directory: directory, name: part)] else { return nil }
            directory = next
        }
        return Name(directory: directory, name: last)
    }

    private mutating func change(_ entries: [(name: Name, node: Int?)]) {
        for entry in entries { names[entry.name] = entry.node }
        nameChanges.append(NameChange(entries: entries))
    }

    /// The node at `name`; a file whose making was not recorded is a view.
    private mutating func node(at name: Name, path: String, isNew: Bool) -> Int {
        if !isNew, let node = names[name] { return node }
        let isView = isView(String(path.dropFirst(root.count + 1)))
        let node = makeNode(Node(certain: isView ? nil : SparseFile(), isView: isView))
        change([(name, node)])
        return node
    }

    // MARK: Events

    /// Adds the next operation.
    package mutating func apply(_ event: RecordingFiles.Event) {
        switch event {
        case .open(let file, let path, let created, let emptied):
            guard let name = name(path) else { return }
            let node = node(at: name, path: path, isNew: created)
            recorded[file] = node
            if emptied, !created { nodes[node]?.changes.append(.truncate(size: 0)) }
        case .write(let file, let offset, let bytes):
            change(file, .write(offset: Int(offset), bytes: bytes))
        case .truncate(let file, let size): change(file, .truncate(size: Int(size)))
        case .reserve(let file, let size): change(file, .reserve(size: Int(size)))
        case .sync(let file): recorded[file].map { makeCertain($0) }
        case .rename(let path, let newPath):
            guard let old = name(path), let new = name(newPath) else { return }
            let node = node(at: old, path: path, isNew: false)
            change([(old, nil), (new, node)])
        case .remove(let path), .removeDirectory(let path):
            if let name = name(path), names[name] != nil { change([(name, nil)]) }
        case .makeDirectory(let path):
            guard let name = name(path) else { return }
            change([(name, makeNode(Node(isDirectory: true)))])
        case .syncDirectory(let path): syncDirectory(path)
        case .note: break
        }
    }

    private mutating func change(_ file: Int, _ change: Change) {
        guard let node = recorded[file], nodes[node]?.isView == false else { return }
        nodes[node]?.changes.append(change)
    }

    private mutating func makeCertain(_ number: Int) {
        guard var node = nodes[number] else { return }
        if node.isView {
            node.certain = node.images.last ?? node.certain
            node.images = []
        } else {
            node.certain = node.changes.reduce(into: node.certain ?? SparseFile()) { file, change in
                change.apply(to: &file)
            }
            node.changes = []
        }
        nodes[number] = node
    }

    private mutating func syncDirectory(_ path: String) {
        let directory = path == root ? 0 : name(path).flatMap { names[$0] }
        guard let directory else { return }
        nameChanges.removeAll { change in
            guard change.entries.contains(where: { $0.name.directory == directory }) else {
                return false
            }
            for entry in change.entries { certainNames[entry.name] = entry.node }
            return true
        }
    }

    /// Takes note of what a view is now.
    package mutating func see(_ image: Recording.Image) {
        switch image {
        case .path(let path, let content):
            guard let name = name(path) else { return }
            see(content, in: node(at: name, path: path, isNew: false))
        case .file(let file, let content):
            if let node = recorded[file] { see(content, in: node) }
        }
    }

    private mutating func see(_ content: SparseFile, in node: Int) {
        guard nodes[node]?.isView == true else { return }
        let last = nodes[node]?.images.last ?? nodes[node]?.certain
        if last != content { nodes[node]?.images.append(content) }
    }
}

extension DiskHistory.Change {
    func apply(to file: inout SparseFile, keeping isKept: (Int) -> Bool = { _ in true }) {
        switch self {
        case .write(let offset, let bytes): file.write(bytes, at: offset, keeping: isKept)
        case .truncate(let size): file.truncate(to: size)
        case .reserve(let size): file.extend(to: size)
        }
    }
}
