import CabinetBackend
import Foundation

/// Where a page of a query's objects has ended, so that the next one can begin there: what the last object
/// is sorted by, and its row.
///
/// A token stays good when objects are inserted, changed and deleted meanwhile, and after the program was
/// started again: the next page has the objects that come behind that place then, and so neither
/// repeats nor leaves out any that stayed where they were. Keep it as text (``description``), or encode
/// it. Use it for the order that it was made for: of properties that are no declared fields, it knows the
/// types alone.
///
/// `Sendable`: a value. See ``StoreQuery/page(after:limit:)``.
public struct PageToken: Hashable, Sendable {
    /// The store, by its number.
    let store: UInt64
    /// The class and the order that the token is of.
    let order: String
    /// The class of the last object, by its number.
    let classNumber: UInt8
    let row: RowID
    /// What the last object is sorted by, as records have it.
    let values: [UInt8]
}

/// Some of the objects that a query gives. Not `Sendable`: objects belong to their store.
public struct ObjectPage<Object: StoredObject> {
    /// The objects, in the order of the query, with their content.
    public let objects: [Object]
    /// Where the next page begins; `nil` if there are no more objects now.
    public let next: PageToken?
}

extension PageToken: LosslessStringConvertible {
    /// Of this form of the bytes.
    private static let form: UInt8 = 1

    /// The token as letters, digits, `-` and `_`, from which ``init(_:)`` makes it again.
    public var description: String {
        let buffer = DataBuffer()
        buffer.writeUInt8(Self.form)
        buffer.writeUInt64(store)
        buffer.writeString(order)
        buffer.writeUInt8(classNumber)
        buffer.writeUInt32(row.rawValue)
        values.withUnsafeBytes { buffer.writeRawBytes($0) }
        let text = buffer.withUnsafeBytes { Data($0) }.base64EncodedString()
        return String(
            text.compactMap { letter -> Character? in
                switch letter {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: letter
                }
            })
    }

    /// The token that ``description`` gave; `nil` for any other text.
    public init?(_ description: String) {
        var text = String(
            description.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        while text.utf8.count % 4 != 0 { text += "=" }
        guard let data = Data(base64Encoded: text) else { return nil }
        let buffer = DataBuffer()
        data.withUnsafeBytes { buffer.writeRawBytes($0) }
        buffer.rewind()
        guard let token = try? PageToken(buffer) else { return nil }
        self = token
    }

    private init(_ buffer: DataBuffer) throws(DataBufferError) {
        guard try buffer.readUInt8() == Self.form else {
            throw .invalidValue(type: "PageToken", offset: 0)
        }
        store = try buffer.readUInt64()
        order = try buffer.readString()
        classNumber = try buffer.readUInt8()
        row = RowID(try buffer.readUInt32())
        values = buffer.withUnsafeBytes { Array($0[(buffer.position)...]) }
    }
}

extension PageToken: Codable {
    /// Decodes what ``encode(to:)`` encoded.
    /// - Throws: `DecodingError`
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = PageToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is no token of a page.")
        }
        self = token
    }

    /// Encodes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
