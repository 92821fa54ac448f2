/// Why a file was not imported. Nothing of it was: the store is as before.
package struct ImportError: Error, Hashable, Sendable {
    package let path: String
    /// The line in the file, from 1; `nil` where the problem has no place in it.
    let line: Int?
    let problem: Problem

    enum Problem: Hashable, Sendable {
        case noSuchFile
        case directory
        /// A device, a pipe or a socket.
        case notAFile
        case accessDenied
        /// The system would not read the file; `reason` is its own word for it.
        case unreadable(reason: String)
        case empty
        /// Neither the name nor the first bytes tell a format.
        case unknownFormat
        /// The text stops being UTF-8 at `byte`, from 0.
        case invalidUTF8(byte: Int)
        case unsupportedEncoding(String)
        case binaryPropertyList
        /// The file ends inside of `inside`.
        case truncated(inside: String)
        /// `found` stands where `expected` belongs.
        case malformed(expected: String, found: String)
        /// More than `limit` levels of lists inside lists.
        case tooDeep(limit: Int)
        /// A property list, but without what makes it a music library.
        case notALibrary(missing: String)
        /// The value of `field` is of another kind than it must be.
        case wrongType(field: String, expected: String, found: String)
        /// The value of `field` is of the right kind, but cannot be.
        case outOfRange(field: String, value: String, allowed: String)
        /// A table without a column that it must have.
        case noColumn(String)
        case columnTwice(String)
        /// A line of a table with more or fewer fields than its header.
        case fieldCount(expected: Int, found: Int)
        /// A list of stream segments, which `.m3u8` is used for as well.
        case streamingManifest
    }
}
