import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Memory for objects that are about to be made, whose pages another thread touches beforehand: a
/// page takes a microsecond or two at its first touch, and a million objects touch 38,000 of them.
///
/// The blocks come from the allocator and are freed when the objects are made, so that it hands
/// them out in small pieces. Another allocator costs the calls and nothing more. Does nothing
/// without GNU's C library.
struct HeapGrowth: ~Copyable {
    /// What an object of few properties takes, and its text beside the bytes of the record.
    static let objectSize = 96

    #if canImport(Glibc)
        private var region: Region?
        /// How many objects `region` is for, and for how many the freed regions are enough.
        private var expected = 0
        private var covered = 0
        private var latest = 0
        /// Small blocks behind freed regions: free memory at the heap's end is returned.
        private var pins: [UnsafeMutableRawPointer] = []

        init() {}

        deinit { for pin in pins { free(pin) } }

        /// Prepares memory, when `made` objects were made so far and up to `more` of `size` bytes
        /// each are to follow. To be called every few thousand objects. Memory is one region ahead,
        /// and at most two are unused.
        mutating func prepare(after made: Int, more: Int, size: Int) {
            let step = made - latest
            latest = made
            if let region {
                // The touching thread may be late: this one does not wait for it.
                guard made + step > covered, region.isTouched.load(ordering: .acquiring) else {
                    return
                }
                covered = made + expected
            }
            expected = min(more, Self.most / size)
            let next = Region(bytes: expected * size)
            if next != nil, let pin = malloc(Self.pinSize) { pins.append(pin) }
            // The old region is freed only now: otherwise `malloc` would return its blocks again.
            region = next
            if let next { Self.queue.async { next.touch() } }
        }

        /// Large enough that a thread which comes some milliseconds late is not too late.
        private static let most = 4 << 20
        /// More than the allocator keeps at hand for a thread.
        private static let pinSize = 1100
        private static let queue = DispatchQueue(
            label: "Cabinet.room", qos: .userInitiated, attributes: .concurrent)
    #else
        mutating func prepare(after made: Int, more: Int, size: Int) {}
    #endif
}

#if canImport(Glibc)
    /// Blocks that one thread allocated. `Sendable`: fixed, and only ``touch()`` accesses them.
    private final class Region: @unchecked Sendable {
        let isTouched = Atomic(false)
        private let blocks: [UnsafeMutableRawPointer]

        /// As large as the allocator takes from its heap: larger ones are mapped each by itself.
        private static let blockSize = 120 << 10
        private static let pageSize = 4096

        init?(bytes: Int) {
            let count = bytes / Self.blockSize
            guard count > 0 else { return nil }
            blocks = (0..<count).compactMap { _ in malloc(Self.blockSize) }
        }

        deinit { for block in blocks { free(block) } }

        func touch() {
            for block in blocks {
                for offset in stride(from: 0, to: Self.blockSize, by: Self.pageSize) {
                    block.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
                }
            }
            isTouched.store(true, ordering: .releasing)
        }
    }
#endif
