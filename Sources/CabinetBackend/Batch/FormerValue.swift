/// What stood at a row or under a key before a commit: the body of an operation of the kind
/// ``Operation/former``, which changes no table and comes as ``Operation/unknown(kind:table:bytes:)``.
///
/// UInt8 form; of a row (form 1) UInt32 row, of a key of a named or ordered table (form 2) UInt32 key
/// length and key; then, to the end, the value with its CRC as a put has it, or nothing if nothing
/// stood there. Form 3, ``newRows``, has nothing more.
package struct FormerValue {
    /// Where it stood, in the operation's table.
    package enum Place {
        case row(RowID)
        case key(UnsafeRawBufferPointer)
    }

    package let place: Place
    /// The value with its CRC behind it; `nil`: nothing stood there.
    package let stored: UnsafeRawBufferPointer?

    /// The form that says of a table: where the commit leaves a record in a row and says nothing else of that,
    /// nothing stood.
    static let newRows: UInt8 = 3

    /// Whether the bytes say that.
    package static func saysNewRows(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == newRows
    }

    /// Calls `body` with the operation that says it.
    package static func withNewRows(
        in table: TableNumber, _ body: (Operation) throws(BackendError) -> Void
    ) throws(BackendError) {
        try [newRows].withUnsafeBytesThrowing { bytes throws(BackendError) in
            try body(.unknown(kind: Operation.former, table: table, bytes: bytes))
        }
    }

    /// `nil` for bytes that are no former value of a form that this program knows.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 5 else { return nil }
        let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(5))
        switch bytes[0] {
        case 1: place = .row(RowID(number))
        case 2:
            guard let length = Int(exactly: number), length <= rest.count else { return nil }
            place = .key(UnsafeRawBufferPointer(rebasing: rest.prefix(length)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
        default: return nil
        }
        guard rest.isEmpty || rest.count >= Operation.checksumSize else { return nil }
        stored = rest.isEmpty ? nil : rest
    }

    /// Whether the bytes may be the body of such an operation. A later program may know other forms.
    static func isPossible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let form = bytes.first else { return false }
        return form != 1 && form != 2 || FormerValue(bytes) != nil
    }
}
