import Cabinet
import CabinetBackend
import Testing

/// What the stores do between their saves.
extension InterleavedStores {
    private mutating func pick<Object: StoredObject>(
        _ type: Object.Type, in store: Store
    ) throws -> Object? {
        try store.objects(of: type).randomElement(using: &random)
    }

    mutating func edit(_ store: Store, _ name: String) throws {
        let text = "\(name) \(counter)"
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: try pick(Volume.self, in: store)?.title = text
        case 2: try pick(Volume.self, in: store)?.seconds = counter
        case 3: try pick(Bookcase.self, in: store)?.title = text
        case 4: try pick(Bookcase.self, in: store)?.year = counter
        case 5: try pick(Volume.self, in: store)?.bookcase = try pick(Bookcase.self, in: store)
        case 6, 7:
            let volume = Volume()
            volume.title = text
            guard let bookcase = try pick(Bookcase.self, in: store) else {
                return store.insert(volume)
            }
            let count = bookcase.volumes.count
            bookcase.volumes.insert(volume, at: Int.random(in: 0...count, using: &random))
        case 8: try move(in: store)
        case 9:
            guard let bookcase = try pick(Bookcase.self, in: store), !bookcase.volumes.isEmpty
            else {
                return
            }
            bookcase.volumes.removeLast()
        case 10:
            let bookcase = Bookcase()
            bookcase.title = text
            store.insert(bookcase)
        case 11, 12: try toggleTopic(in: store, text)
        case 13: try setJacket(in: store, text)
        case 14:
            if Bool.random(using: &random), let volume = try pick(Volume.self, in: store) {
                try store.delete(volume)
            }
        default:
            if Int.random(in: 0..<4, using: &random) == 0,
                let bookcase = try pick(Bookcase.self, in: store)
            {
                try store.delete(bookcase)
            }
        }
    }

    private mutating func move(in store: Store) throws {
        guard let bookcase = try pick(Bookcase.self, in: store), bookcase.volumes.count > 1
        else {
            return
        }
        var list = Array(bookcase.volumes)
        let volume = list.remove(at: Int.random(in: 0..<list.count, using: &random))
        list.insert(volume, at: Int.random(in: 0...list.count, using: &random))
        bookcase.volumes = list
    }

    private mutating func toggleTopic(in store: Store, _ text: String) throws {
        guard let bookcase = try pick(Bookcase.self, in: store) else { return }
        guard let topic = try pick(Topic.self, in: store), Bool.random(using: &random) else {
            let topic = Topic()
            topic.name = text
            bookcase.topics.append(topic)
            return
        }
        if let place = bookcase.topics.firstIndex(where: { $0 === topic }) {
            bookcase.topics.remove(at: place)
        } else {
            bookcase.topics.append(topic)
        }
    }

    private mutating func setJacket(in store: Store, _ text: String) throws {
        guard let volume = try pick(Volume.self, in: store) else { return }
        if let jacket = try pick(Jacket.self, in: store), Bool.random(using: &random) {
            volume.jacket = jacket
        } else {
            let jacket = Jacket()
            jacket.name = text
            volume.jacket = jacket
        }
    }

    // MARK: Steps

    mutating func takeBack(_ writer: Writer) throws {
        guard let name = writer.store.undoHistory.undoName else { return }
        try move(writer, name, "undone") { try writer.store.undoHistory.undo() }
        // What was taken back can be made again, to the same.
        guard Bool.random(using: &random), writer.store.undoHistory.redoName == name else { return }
        let undone = try GraphView(of: writer.store, place)
        try writer.store.undoHistory.redo()
        try writer.store.undoHistory.undo()
        doing = "undone once more by \(writer.name)"
        #expect(try GraphView(of: writer.store, place).difference(from: undone) == [], place)
    }

    mutating func makeAgain(_ writer: Writer) throws {
        guard let name = writer.store.undoHistory.redoName else { return }
        try move(writer, name, "redone") { try writer.store.undoHistory.redo() }
    }

    /// Takes a step back or makes it again. Nothing that others have changed since changes.
    private mutating func move(
        _ writer: Writer, _ name: String, _ what: String, _ body: () throws -> Bool
    ) throws {
        doing = "before it is \(what) by \(writer.name)"
        let before = try GraphView(of: writer.store, place)
        do {
            #expect(try body(), place)
        } catch StoreError.changedSince {
            refusals += 1
            doing = "not \(what) by \(writer.name)"
            #expect(try GraphView(of: writer.store, place).difference(from: before) == [], place)
            writer.store.undoHistory.removeAll()
            return
        }
        undos += 1
        doing = "\(what) by \(writer.name)"
        let after = try GraphView(of: writer.store, place)
        let time = writer.times[name] ?? 0
        let changed = after.parts(unlike: before)
        for (since, part) in writer.foreign where since > time && changed.contains(part) {
            Issue.record("\(part) is another store's, \(place)")
        }
        writer.times[name] = counter
    }
}
