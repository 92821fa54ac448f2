/// One thing that may happen to a file behind everybody's back.
package enum Damage: Hashable, Sendable, CustomStringConvertible {
    /// The bits of `mask` are turned over in one byte.
    case flip(file: String, offset: Int, mask: UInt8)
    /// The file ends here.
    case cut(file: String, size: Int)

    package var description: String {
        switch self {
        case .flip(let file, let offset, let mask): "\(file), byte \(offset), bits \(mask)"
        case .cut(let file, let size): "\(file) cut to \(size) bytes"
        }
    }

    package var file: String {
        switch self {
        case .flip(let file, _, _), .cut(let file, _): file
        }
    }

    package func apply(to image: inout DiskImage) {
        switch self {
        case .flip(let file, let offset, let mask):
            guard let byte = image.files[file]?.byte(at: offset) else { return }
            image.files[file]?.write([byte ^ mask], at: offset)
        case .cut(let file, let size): image.files[file]?.truncate(to: size)
        }
    }

    /// Every byte of every file but the lock turned over, and every length of every file, in an
    /// order that `seed` shuffles by files only.
    package static func all(of image: DiskImage, seed: UInt64) -> [Damage] {
        var random = SeededRandom(seed: seed)
        var result: [Damage] = []
        for (file, content) in damageable(image) {
            for offset in 0..<content.size {
                result.append(.flip(file: file, offset: offset, mask: mask(&random)))
                result.append(.cut(file: file, size: offset))
            }
        }
        return result
    }

    /// `count` of them, mostly where there is something but zeros.
    package static func sample(of image: DiskImage, count: Int, seed: UInt64) -> [Damage] {
        var random = SeededRandom(seed: seed)
        let files = damageable(image)
        return (0..<count).map { _ in
            let (file, content) = files[random.below(files.count)]
            let sectors = content.content
            var offset = random.below(content.size)
            if !sectors.isEmpty, !random.once(in: 4) {
                let sector = sectors[random.below(sectors.count)].index
                offset = min(sector * SparseFile.sectorSize + random.below(512), content.size - 1)
            }
            return random.once(in: 4)
                ? .cut(file: file, size: offset)
                : .flip(file: file, offset: offset, mask: mask(&random))
        }
    }

    private static func damageable(_ image: DiskImage) -> [(String, SparseFile)] {
        image.files.filter { !$0.key.hasSuffix("/Lock") && $0.value.size > 0 }
            .sorted { $0.key < $1.key }
    }

    private static func mask(_ random: inout SeededRandom) -> UInt8 {
        random.once(in: 2) ? 1 << random.below(8) : UInt8(1 + random.below(255))
    }
}

extension SparseFile {
    func byte(at offset: Int) -> UInt8? {
        guard offset < size else { return nil }
        return sector(offset / Self.sectorSize)?[offset % Self.sectorSize] ?? 0
    }
}
