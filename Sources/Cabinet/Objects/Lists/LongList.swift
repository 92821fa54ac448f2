/// A long list whose members are found, inserted and removed in hardly more time than those of a
/// short one: chunks of a few hundred objects, and for each object the chunk that holds it.
///
/// Finding a member is one look-up, a search of its chunk and a sum over the chunks before it.
final class LongList {
    private final class Chunk {
        @exclusivity(unchecked) var objects: [StoredObject]
        @exclusivity(unchecked) var index: Int

        init(_ objects: [StoredObject], index: Int) {
            (self.objects, self.index) = (objects, index)
        }
    }

    private static let usualSize = 256

    @exclusivity(unchecked) private var chunks: [Chunk] = []
    @exclusivity(unchecked) private var counts = ChunkCounts()
    @exclusivity(unchecked) private var table: ChunkTable<Chunk>
    @exclusivity(unchecked) private(set) var count: Int
    @exclusivity(unchecked) private var latest: (position: Int, chunk: Int, offset: Int)?

    init(_ objects: [StoredObject]) {
        count = objects.count
        table = ChunkTable(room: count)
        var start = 0
        while start < objects.count {
            let end = min(start + Self.usualSize, objects.count)
            append(Chunk(Array(objects[start..<end]), index: chunks.count))
            start = end
        }
        if chunks.isEmpty { append(Chunk([], index: 0)) }
    }

    private func append(_ chunk: Chunk) {
        chunks.append(chunk)
        counts.append(chunk.objects.count)
        chunk.objects.forEachHeld { table.note($0, in: chunk) }
    }

    var objects: [StoredObject] {
        var all: [StoredObject] = []
        all.reserveCapacity(count)
        for chunk in chunks { all.append(contentsOf: chunk.objects) }
        return all
    }

    func contains(_ object: StoredObject) -> Bool {
        table.find(object) != nil
    }

    /// The object at `position`, which must be less than ``count``.
    func object(at position: Int) -> StoredObject {
        let found = find(position)
        return chunks[found.chunk].objects[found.offset]
    }

    /// The first position of `object`; `nil` if it is not in the list.
    func position(of object: StoredObject) -> Int? {
        guard let found = table.find(object) else { return nil }
        if found.pointee.times == 1 {
            return found.pointee.chunk.flatMap { position(of: object, in: $0) }
        }
        // Of several, the chunk is one that holds it, and an earlier one may, too.
        for chunk in chunks {
            if let position = position(of: object, in: chunk) { return position }
        }
        return nil
    }

    private func position(of object: StoredObject, in chunk: Chunk) -> Int? {
        guard let offset = chunk.objects.position(of: object) else { return nil }
        let index = chunk.index
        var position = offset
        position &+= counts.count(before: index)
        latest = (position, index, offset)
        return position
    }

    /// Puts `object` at `position`, which is at most ``count``.
    func insert(_ object: StoredObject, at position: Int) {
        let found = find(position)
        let chunk = chunks[found.chunk]
        chunk.objects.append(object)
        chunk.objects.moveLast(to: found.offset)
        counts.add(1, at: found.chunk)
        count += 1
        latest = nil
        table.note(object, in: chunk)
        if chunk.objects.count >= 2 * Self.usualSize { split(chunk) }
    }

    /// Takes out what stands at `position`, which must be less than ``count``.
    @discardableResult
    func remove(at position: Int) -> StoredObject {
        let found = find(position)
        return remove(at: found.offset, in: chunks[found.chunk])
    }

    /// Takes out `object` where it stands first. Returns its position; `nil` if it is not there.
    func removeFirst(_ object: StoredObject) -> Int? {
        guard let position = position(of: object), let latest else { return nil }
        remove(at: latest.offset, in: chunks[latest.chunk])
        return position
    }

    @discardableResult
    private func remove(at offset: Int, in chunk: Chunk) -> StoredObject {
        chunk.objects.moveToEnd(offset)
        let object = chunk.objects.removeLast()
        counts.add(-1, at: chunk.index)
        count -= 1
        latest = nil
        guard let noted = table.find(object) else { return object }
        if noted.pointee.times > 1 {
            noted.pointee.times -= 1
            // The chunk that was noted may be the one that lost it.
            noted.pointee.chunk = chunks.first { $0.objects.position(of: object) != nil }
        } else {
            table.remove(object)
        }
        return object
    }

    /// The chunk of `position` and the offset in it; behind the last object for ``count``.
    private func find(_ position: Int) -> (chunk: Int, offset: Int) {
        if let latest, latest.position == position { return (latest.chunk, latest.offset) }
        if position == count { return (chunks.count - 1, counts[chunks.count - 1]) }
        return counts.find(position)
    }

    /// Moves the second half of `chunk` to a new one behind it.
    private func split(_ chunk: Chunk) {
        let half = chunk.objects.count / 2
        let new = Chunk(Array(chunk.objects[half...]), index: chunk.index + 1)
        chunk.objects.removeSubrange(half...)
        chunks.insert(new, at: new.index)
        counts.split(chunk.index, moving: new.objects.count)
        for index in new.index + 1..<chunks.count { chunks[index].index = index }
        new.objects.forEachHeld { table.find($0)?.pointee.chunk = new }
    }
}

extension [StoredObject] {
    /// The first position of `object`, from `start` on; `nil` if it is not there.
    func position(of object: StoredObject, from start: Int = 0) -> Int? {
        withUnsafeBufferPointer { objects in
            guard let first = objects.baseAddress else { return nil }
            // Compared as words, so that no reference is counted.
            let words = UnsafeRawPointer(first).assumingMemoryBound(to: UInt.self)
            let word = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
            var position = start
            // A search of hundreds takes half the instructions so.
            while position &+ 8 <= objects.count {
                let eight = words + position
                if eight[0] == word { return position }
                if eight[1] == word { return position &+ 1 }
                if eight[2] == word { return position &+ 2 }
                if eight[3] == word { return position &+ 3 }
                if eight[4] == word { return position &+ 4 }
                if eight[5] == word { return position &+ 5 }
                if eight[6] == word { return position &+ 6 }
                if eight[7] == word { return position &+ 7 }
                position &+= 8
            }
            while position < objects.count {
                if words[position] == word { return position }
                position &+= 1
            }
            return nil
        }
    }

    /// Moves the last object to `position`, and those from there on one behind: the standard
    /// library's `insert` takes 300 instructions more.
    @inline(__always)
    mutating func moveLast(to position: Int) {
        let last = count - 1
        withUnsafeMutableBytes { Self.move($0, from: last, to: position) }
    }

    /// Moves the object at `position` to the end, and those behind it one ahead.
    @inline(__always)
    mutating func moveToEnd(_ position: Int) {
        let last = count - 1
        withUnsafeMutableBytes { Self.move($0, from: position, to: last) }
    }

    /// Moves the reference at `start` to `end`, and those between by one. Counts none.
    @inline(__always)
    private static func move(
        _ references: UnsafeMutableRawBufferPointer, from start: Int, to end: Int
    ) {
        let size = MemoryLayout<UInt>.stride
        guard let base = references.baseAddress else { return }
        let word = base.load(fromByteOffset: start * size, as: UInt.self)
        let between = base + Swift.min(start, end) * size
        let length = abs(end - start) * size
        if start < end {
            between.copyMemory(from: between + size, byteCount: length)
        } else {
            (between + size).copyMemory(from: between, byteCount: length)
        }
        base.storeBytes(of: word, toByteOffset: end * size, as: UInt.self)
    }

    /// Whether both are one array in memory: then they are equal without a look.
    func sharesMemory(with other: [StoredObject]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer {
                own.baseAddress == $0.baseAddress && own.count == $0.count
            }
        }
    }
}
