/// A note of a commit, as the log has it. `Sendable`: a value.
package struct LoggedNote: Hashable, Sendable {
    /// What kind of note it is, as its writer chose.
    package var tag: UInt8
    package var bytes: [UInt8]

    package init(tag: UInt8, bytes: [UInt8]) {
        self.tag = tag
        self.bytes = bytes
    }
}
