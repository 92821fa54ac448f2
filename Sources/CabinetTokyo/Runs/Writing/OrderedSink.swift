import CabinetBackend

/// What takes the changes of one ordered table, in the order in which they were made.
class OrderedSink {
    /// - Parameter stored: the value with its checksum, as an ``Operation`` carries it.
    func put(_ key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer) {}

    /// Deletes a key, which need not be there.
    func delete(_ key: UnsafeRawBufferPointer) {}
}
