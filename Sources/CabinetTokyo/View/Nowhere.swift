/// The library aborts on null pointers, also where there are no bytes to look at.
enum Nowhere {
    /// Never read and never written, so shared by all.
    nonisolated(unsafe) static let address = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16))
}
