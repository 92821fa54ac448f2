/// Where a window keeps values for which memory has no room: a file without a name, which goes with
/// its last reference. An engine gives it; see ``VersionWindow/init(limits:makeFile:)``.
///
/// `Sendable`: calls may come from several threads, but writes from one at a time.
package protocol SpillFile: AnyObject, Sendable {
    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(BackendError)

    /// Fills `bytes` from `offset` on.
    /// - Throws: also if the file is shorter.
    func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError)
}

/// A value in the file of a window.
package struct SpilledValue: Hashable {
    var offset: UInt64
    var size: Int
    var sum: UInt32
}
