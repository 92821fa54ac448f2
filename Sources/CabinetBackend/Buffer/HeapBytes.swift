import CLibrary

/// Memory of the C library's allocator, aligned to 16 bytes: it enlarges a large block by moving
/// its pages, so that a record of 1 GiB is never there twice while its buffer grows.
package enum HeapBytes {
    package static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(count) else { outOfMemory(count) }
        return memory
    }

    /// Zeros: of a large block, what is not used takes no memory.
    package static func allocateZeros(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = calloc(count, 1) else { outOfMemory(count) }
        return memory
    }

    /// The bytes of `memory` in a block of `count` bytes, which is more than it has.
    static func enlarge(
        _ memory: UnsafeMutableRawPointer, to count: Int
    ) -> UnsafeMutableRawPointer {
        guard let larger = realloc(memory, count) else { outOfMemory(count) }
        return larger
    }

    package static func free(_ memory: UnsafeMutableRawPointer) {
        #if canImport(Darwin)
            Darwin.free(memory)
        #elseif canImport(Musl)
            Musl.free(memory)
        #else
            Glibc.free(memory)
        #endif
    }

    // As Swift's own allocations end.
    private static func outOfMemory(_ count: Int) -> Never {
        preconditionFailure("no memory for \(count) bytes")
    }
}
