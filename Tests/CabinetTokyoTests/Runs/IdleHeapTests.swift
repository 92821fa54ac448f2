import CAllocationCount
import CLibrary
import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What an ordered table takes of the heap while nothing is done with it, counted over a process of
/// its own: 2 MB at most.
@Suite(.enabled(if: cabinet_heap_in_use() >= 0, "the heap cannot be counted here"))
struct IdleHeapTests {
    @Test func aTableThatWasReadTakesLittle() async {
        await #expect(processExitsWith: .success) {
            let directory = ScratchDirectory()
            let backend = try IdleHeapTests.open(directory)
            try IdleHeapTests.put(0..<200_000, backend, savesOf: 200_000)
            try backend.close()
            let before = cabinet_heap_in_use()
            let again = try IdleHeapTests.open(directory)
            let count = try again.count(of: 3)
            let value = try again.text(forKey: "key 7919", in: 3)
            precondition(count == 200_000 && value == "")
            let taken = cabinet_heap_in_use() - before
            precondition(taken < 300_000, "\(taken) bytes")
            try again.close()
        }
    }

    /// After each save as soon as nothing more is written beside it.
    @Test func aTableThatWasChangedTakesLittle() async {
        await #expect(processExitsWith: .success) {
            let directory = ScratchDirectory()
            let backend = try IdleHeapTests.open(directory)
            try IdleHeapTests.put(0..<1, backend, savesOf: 1)
            let before = cabinet_heap_in_use()
            var most = 0
            for start in stride(from: 1, to: 100_000, by: 2_000) {
                try IdleHeapTests.put(start..<start + 2_000, backend, savesOf: 200)
                backend.upkeep.queue.sync {}
                most = max(most, cabinet_heap_in_use() - before)
            }
            precondition(most < 2_000_000, "\(most) bytes")
            try backend.close()
        }
    }

    private static func open(_ directory: ScratchDirectory) throws -> TokyoBackend {
        try TokyoBackend(path: directory.file("store"), durability: .process)
    }

    /// Puts keys in no order.
    private static func put(
        _ numbers: Range<Int>, _ backend: TokyoBackend, savesOf size: Int
    ) throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: size) {
            let batch = backend.makeBatch()
            if start == 0 {
                try batch.define(TableDefinition(number: 3, kind: .ordered, name: "Song.1"))
            }
            for number in start..<min(start + size, numbers.upperBound) {
                try batch.put("", forKey: "key \(number &* 7919 % 1_000_003)", in: 3)
            }
            try backend.commit(batch)
        }
    }
}
