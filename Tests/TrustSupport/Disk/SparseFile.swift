/// The bytes of a file, kept by the sectors that are not zero: what a disk writes whole or not.
package struct SparseFile: Hashable, Sendable {
    /// The bytes that a disk writes at once.
    package static let sectorSize = 512

    package private(set) var size = 0
    private var sectors: [Int: [UInt8]] = [:]

    package init() {}

    /// By sectors, and not by bytes: a disk has many.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(size)
        var sum = 0
        for (index, sector) in sectors {
            var own = Hasher()
            own.combine(index)
            sector.withUnsafeBytes { own.combine(bytes: $0) }
            sum ^= own.finalize()
        }
        hasher.combine(sum)
    }

    package init(_ bytes: [UInt8]) {
        size = bytes.count
        write(bytes, at: 0)
    }

    /// All bytes, the zeros too.
    package var bytes: [UInt8] {
        var result = [UInt8](repeating: 0, count: size)
        for (index, sector) in sectors {
            let start = index * Self.sectorSize
            let end = min(start + Self.sectorSize, size)
            if start < end { result.replaceSubrange(start..<end, with: sector[..<(end - start)]) }
        }
        return result
    }

    func sector(_ index: Int) -> [UInt8]? { sectors[index] }

    /// The sectors that are not zero, in order: each sector's number and bytes.
    package var content: [(index: Int, bytes: [UInt8])] {
        sectors.keys.sorted().map { ($0, sectors[$0] ?? []) }
    }

    /// Writes `bytes` at `offset`; the file grows as it must. Where `sectors` says no to the
    /// number of a sector, what would fall there is lost.
    package mutating func write(
        _ bytes: [UInt8], at offset: Int, keeping isKept: (Int) -> Bool = { _ in true }
    ) {
        var done = 0
        while done < bytes.count {
            let index = (offset + done) / Self.sectorSize
            let start = (offset + done) % Self.sectorSize
            let length = min(Self.sectorSize - start, bytes.count - done)
            if isKept(index) {
                put(bytes[done..<done + length], in: index, at: start)
                size = max(size, offset + done + length)
            }
            done += length
        }
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, in index: Int, at start: Int) {
        var sector = sectors[index] ?? [UInt8](repeating: 0, count: Self.sectorSize)
        sector.replaceSubrange(start..<start + bytes.count, with: bytes)
        sectors[index] = sector.allSatisfy { $0 == 0 } ? nil : sector
    }

    /// Cuts the file, or extends it by zeros.
    package mutating func truncate(to newSize: Int) {
        if newSize < size {
            for index in sectors.keys where index * Self.sectorSize + Self.sectorSize > newSize {
                let kept = newSize - index * Self.sectorSize
                guard kept > 0, let sector = sectors[index] else {
                    sectors[index] = nil
                    continue
                }
                let cut = Array(sector[..<kept])
                sectors[index] = nil
                put(cut[...], in: index, at: 0)
            }
        }
        size = newSize
    }

    /// Extends the file by zeros if it is shorter.
    package mutating func extend(to newSize: Int) { size = max(size, newSize) }

    /// Takes the page with that number, 4096 bytes, from `other`.
    package mutating func takePage(_ page: Int, from other: SparseFile) {
        for index in page * 8..<page * 8 + 8 { sectors[index] = other.sectors[index] }
    }

    /// How many pages of 4096 bytes there are, the last one perhaps not whole.
    package var pageCount: Int { (size + 4095) / 4096 }

    /// The pages that are not the same in `other`.
    package func differingPages(from other: SparseFile) -> [Int] {
        var pages: Set<Int> = []
        for index in Set(sectors.keys).union(other.sectors.keys)
        where sectors[index] != other.sectors[index] { pages.insert(index / 8) }
        return pages.sorted()
    }
}
