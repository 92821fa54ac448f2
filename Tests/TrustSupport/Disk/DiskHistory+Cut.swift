extension DiskHistory {
    /// One state in which a power cut may leave the disk now: the one that `chooser` chooses.
    package func cut(_ chooser: inout some Chooser) -> DiskImage {
        var names = certainNames
        for change in nameChanges where chooser.choose(2) == 1 {
            for entry in change.entries { names[entry.name] = entry.node }
        }
        var image = DiskImage()
        var views: [(path: String, node: Node)] = []
        collect(0, below: "", names, &chooser, into: &image, &views)
        // With nothing that vouches for them, views may be anything.
        let isVouched = image.files.contains { path, file in
            path.hasSuffix("/Clean") && !file.bytes.prefix(8).allSatisfy { $0 == 0 }
        }
        let others = views.compactMap { $0.node.images.last ?? $0.node.certain }
        for view in views {
            image.files[view.path] = Self.view(
                view.node, isVouched: isVouched, others: others, &chooser)
        }
        return image
    }

    private func collect(
        _ directory: Int, below prefix: String, _ names: [Name: Int],
        _ chooser: inout some Chooser, into image: inout DiskImage,
        _ views: inout [(path: String, node: Node)]
    ) {
        let entries = names.filter { $0.key.directory == directory }
            .sorted { $0.key.name < $1.key.name }
        for (name, number) in entries {
            guard let node = nodes[number] else { continue }
            let path = prefix + name.name
            if node.isDirectory {
                image.directories.insert(path)
                collect(number, below: path + "/", names, &chooser, into: &image, &views)
            } else if node.isView {
                views.append((path, node))
            } else {
                image.files[path] = Self.content(node, &chooser)
            }
        }
    }

    /// A file's content: each write since the last sync kept, lost, or torn between sectors.
    private static func content(_ node: Node, _ chooser: inout some Chooser) -> SparseFile {
        var file = node.certain ?? SparseFile()
        var whole = file
        for change in node.changes {
            change.apply(to: &whole)
            guard case .write(let offset, let bytes) = change, !bytes.isEmpty else {
                if chooser.choose(2) == 1 { change.apply(to: &file) }
                continue
            }
            let first = offset / SparseFile.sectorSize
            let last = (offset + bytes.count - 1) / SparseFile.sectorSize
            let kept = tear(last - first + 1, &chooser)
            change.apply(to: &file) { kept($0 - first) }
        }
        // The size may have reached the disk before what it makes room for.
        if file.size < whole.size, chooser.choose(2) == 1 { file.extend(to: whole.size) }
        return file
    }

    /// Which of `sectors` sectors are kept: 0 none, 1 all; of up to 3 every other choice too.
    private static func tear(_ sectors: Int, _ chooser: inout some Chooser) -> (Int) -> Bool {
        switch sectors {
        case 1:
            let isKept = chooser.choose(2) == 1
            return { _ in isKept }
        case 2...3:
            let all = (1 << sectors) - 1
            let choice = chooser.choose(1 << sectors)
            let mask = choice == 0 ? 0 : choice == 1 ? all : choice - 1
            return { mask >> $0 & 1 == 1 }
        default:
            let choice = chooser.choose(4)
            guard choice > 1 else { return { _ in choice == 1 } }
            let place = chooser.choose(sectors)
            return choice == 2 ? { $0 < place } : { $0 != place }
        }
    }

    // MARK: Views

    private static func view(
        _ node: Node, isVouched: Bool, others: [SparseFile], _ chooser: inout some Chooser
    ) -> SparseFile {
        let versions = (node.certain.map { [$0] } ?? []) + node.images
        guard let newest = versions.last else { return SparseFile() }
        if node.certain != nil, node.images.isEmpty, isVouched { return newest }
        if isVouched, let certain = node.certain {
            return mixed([certain] + node.images, &chooser)
        }
        var zeros = SparseFile()
        zeros.extend(to: newest.size)
        switch chooser.choose(7) {
        case 0: return versions[0]
        case 1: return newest
        case 2: return mixed([zeros] + versions, &chooser)
        case 3: return zeros
        case 4:
            var half = newest
            half.truncate(to: newest.size / 2)
            return half
        case 5:
            return others[chooser.choose(others.count)]
        default:
            var torn = newest
            let seed = UInt64(chooser.choose(1 << 16))
            var random = SeededRandom(seed: seed)
            // Not in the first page: a disk loses or keeps that, it does not make one up.
            for _ in 0..<4 where torn.size > 8192 {
                let noise = (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                torn.write(noise, at: 4096 + random.below(torn.size - 4096 - 64))
            }
            return torn
        }
    }

    /// Each page as one of the versions had it.
    private static func mixed(
        _ versions: [SparseFile], _ chooser: inout some Chooser
    ) -> SparseFile {
        guard versions.count > 1 else { return versions[0] }
        var result = versions[0]
        var pages: Set<Int> = []
        for version in versions.dropFirst() {
            pages.formUnion(version.differingPages(from: versions[0]))
        }
        for page in pages.sorted() {
            // 1 is the newest: what is there when nothing is lost.
            let choice = chooser.choose(versions.count)
            let version = choice == 0 ? 0 : choice == 1 ? versions.count - 1 : choice - 1
            result.takePage(page, from: versions[version])
        }
        let size = chooser.choose(versions.count)
        result.truncate(to: versions[size == 1 ? versions.count - 1 : size].size)
        return result
    }
}
