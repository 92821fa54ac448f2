import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Memory for objects that are about to be made, whose pages another thread touches beforehand: a
/// page takes a microsecond or two when it is touched for the first time, and a million objects
/// touch 38,000 of them.
///
/// The allocator is asked for blocks, another thread touches them, and they are given back when the
/// objects are made, for the allocator to hand out in small pieces. One that does something else
/// with them costs the calls and nothing more. Does nothing where the C library is not GNU's.
///
/// Not `Sendable`: it belongs to one fetch.
struct RoomAhead: ~Copyable {
    #if canImport(Glibc)
        private var region: Region?
        /// Keep what is given back from being one with the heap's end, which would be given back to
        /// the system.
        private var pins: [UnsafeMutableRawPointer] = []

        init() {}

        deinit { for pin in pins { free(pin) } }

        /// Asks for room for `count` more objects whose records take `bytes`, and gives back what was
        /// touched.
        mutating func prepare(for count: Int, bytes: Int) {
            // Who touches it may be late: then nobody waits.
            if let region, !region.isTouched.load(ordering: .acquiring) { return }
            let wanted = min(count * Self.objectSize + bytes, Self.most)
            guard let next = Region(bytes: wanted) else { return }
            if let pin = malloc(Self.pinSize) { pins.append(pin) }
            // Only now, for otherwise the same blocks would come again.
            region = next
            Self.queue.async { next.touch() }
        }

        private static let most = 4 << 20
        /// What an object of few properties takes; too little room is better than too much.
        private static let objectSize = 64
        /// More than the allocator keeps at hand for a thread.
        private static let pinSize = 1100
        private static let queue = DispatchQueue(
            label: "Cabinet.room", qos: .userInitiated, attributes: .concurrent)
    #else
        mutating func prepare(for count: Int, bytes: Int) {}
    #endif
}

#if canImport(Glibc)
    /// Blocks of one thread's asking. `Sendable`, as the blocks never change and nobody but
    /// ``touch()`` looks into them; they are given back with the last reference.
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
