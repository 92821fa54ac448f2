import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Runs whose content was changed and whose sums were then made right: what no sum can show must
/// be harmless all the same.
struct RunMutantTests {
    let directory = RunDirectory()
    let files = SystemFiles()
    let identity = RunIdentity(store: 77, table: 5)

    /// Makes all sums right, as far as the parts can be found.
    private func seal(_ bytes: inout [UInt8], fileSum: UInt32, blocks: [Range<Int>]) {
        let end = bytes.count - RunFooter.size
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            func sum(_ range: Range<Int>) -> UInt32 {
                UnsafeRawBufferPointer(rebasing: bytes[range])
                    .checksum(in: fileSum, at: UInt64(range.lowerBound))
            }
            for block in blocks {
                base.put(sum(block.lowerBound..<block.upperBound - 4), at: block.upperBound - 4)
            }
            base.put(sum((blocks.last?.upperBound ?? RunHeader.size)..<end), at: end + 84)
            base.put(sum(end..<end + 92), at: end + 92)
        }
    }

    @Test(arguments: KeyKind.allCases, [100, 1500])
    func bytesWithRightSumsAreHarmless(_ kind: KeyKind, blockLimit: Int) throws {
        var random = ModelRandom(UInt64(blockLimit))
        let keys = kind.keys(kind == .long ? 60 : 150, &random)
        let model = RunModel(keys: keys, random: &random)
        let path = directory.file("run")
        try writeRun(model, path, blockLimit: blockLimit)
        let run = try #require(try Run(files: files, path: path, identity: identity))
        let blocks = (0..<run.blockCount).compactMap { block in
            run.index.place(of: block).map { $0.offset..<$0.offset + $0.length }
        }
        let whole = try files.readBytes(
            Int(run.size), from: files.open(path, for: .reading), at: 0)
        let wanted = (0..<8).map { _ in keys[random.below(keys.count)] } + [[], [255, 255]]
        let expected = try RunReport(run, wanted)
        let mutant = directory.file("mutant")
        let file = try files.open(mutant, for: .creating)
        var wrong = 0
        let count = RunSetting.repetitions(1600)
        for _ in 0..<count {
            var bytes = whole
            change(&bytes, &random, blocks)
            seal(&bytes, fileSum: run.fileSum, blocks: blocks)
            try files.write(bytes, to: file, at: 0)
            do throws(BackendError) {
                let run = try Run(files: files, path: mutant, identity: identity)
                guard let run else { continue }
                for key in wanted {
                    // Each by itself: one that finds damage must not keep others from running.
                    _ = try? run.found(key)
                    _ = try? run.rank(key)
                    walk(run, key)
                }
                let report = try RunReport(run, wanted)
                // Values, and weights that agree with all sums of weights, may have changed.
                #expect(report.forward.map(\.key).count == expected.forward.count)
            } catch {
                guard case .corrupt(mutant, _) = error else { throw error }
                wrong += 1
            }
        }
        #expect(wrong > count / 2)
    }

    /// Goes from a key in both directions; any way must end.
    private func walk(_ run: Run, _ key: [UInt8]) {
        guard let cursor = try? run.cursor() else { return }
        // An optimised build leaves out what is read and not used.
        var sum = Hasher()
        defer { withExtendedLifetime(sum.finalize()) {} }
        for isForward in [true, false] {
            do throws(BackendError) {
                try cursor.seek(to: key)
                while cursor.isAtEntry {
                    if let entry = cursor.entry {
                        entry.key.withUnsafeBytes { sum.combine(bytes: $0) }
                        entry.value?.withUnsafeBytes { sum.combine(bytes: $0) }
                    }
                    if isForward { try cursor.next() } else { try cursor.previous() }
                }
                try cursor.seekBack(before: key)
                try cursor.next()
                try cursor.previous()
                try cursor.previous()
            } catch {
                #expect(!cursor.isAtEntry)
            }
        }
    }

    /// Changes some bytes behind the header: anywhere, or where blocks and file keep their numbers.
    private func change(
        _ bytes: inout [UInt8], _ random: inout ModelRandom, _ blocks: [Range<Int>]
    ) {
        for _ in 0...random.below(3) {
            let place: Int
            switch random.below(4) {
            case 0: place = RunHeader.size + random.below(bytes.count - RunHeader.size)
            case 1: place = bytes.count - RunFooter.size + random.below(RunFooter.size)
            case 2:
                let end = blocks[random.below(blocks.count)].upperBound
                place = max(RunHeader.size, end - 1 - random.below(40))
            default:
                place = blocks[random.below(blocks.count)].lowerBound + random.below(3)
            }
            switch random.below(4) {
            case 0: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1: bytes[place] = 255
            case 2: bytes[place] = 0
            default: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            }
        }
    }
}
