import CabinetBackend
import Foundation

/// Writes objects as JSON to a file, one at a time.
final class JSONExport {
    /// What a document begins with, and how to read it.
    static let format = "cabinet-export"
    static let version = 1

    private let store: Store
    private let file: WrittenFile
    private let progress: Progress?
    private let buffer = DataBuffer()
    private var encoder = JSONCoding.encoder()
    private var count = 0

    init(_ store: Store, _ url: URL, _ progress: Progress?) throws {
        self.store = store
        self.progress = progress
        file = try WrittenFile(url)
        try file.write("{\"format\":\"\(Self.format)\",\"version\":\(Self.version),\"objects\":[")
    }

    func write(_ object: StoredObject, of storedClass: StoredClass) throws {
        if progress?.isCancelled == true { throw CancellationError() }
        let fields = try storedClass.fields.entries.map { entry in
            JSONValue.Member(name: entry.name, value: try value(of: entry, in: object, storedClass))
        }
        let json = JSONValue.members(
            ("class", .text(storedClass.name)), ("row", .count(object.rowID.rawValue)),
            ("fields", .object(fields)))
        guard json.valueCount <= RecordDecoder.valueLimit else {
            throw StoreError.cannotExport(
                class: storedClass.name,
                reason:
                    "\(storedClass.name) \(object.rowID) holds more values than an import reads of one object"
            )
        }
        try file.write((count == 0 ? "\n" : ",\n") + json.written)
        count += 1
        progress?.completedUnitCount = Int64(count)
    }

    func finish() throws -> Int {
        try file.write("\n]}\n")
        try file.finish()
        progress?.totalUnitCount = Int64(max(count, 1))
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
        return count
    }

    private func value(
        of entry: FieldTable.Entry, in object: StoredObject, _ storedClass: StoredClass
    ) throws -> JSONValue {
        if let relation = entry.coder as? RelationCoder {
            let references = Self.references(in: relation, of: object).map(\.json)
            return relation.isMany ? .list(references) : references.first ?? .null
        }
        defer { buffer.removeAll() }
        buffer.context = store
        let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) + entry.offset
        entry.coder.write(at: address, to: buffer)
        withExtendedLifetime(object) {}
        if let error = buffer.writeError { throw Self.describe(error, object, storedClass) }
        do {
            if let json = try codedValue(entry.coder) { return json }
            buffer.rewind()
            var reader = FieldReader(
                buffer, className: store.className, limit: RecordDecoder.valueLimit)
            return try reader.read(entry.coder.type).json
        } catch {
            throw Self.describe(error, object, storedClass)
        }
    }

    /// What a `Codable` value makes of itself; `nil` for values of other forms.
    private func codedValue(_ coder: FieldCoder) throws -> JSONValue? {
        guard coder.type.isCoded,
            let value = try coder.values?.readAny(from: buffer) as? any Encodable
        else { return nil }
        return .verbatim(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    private static func references(
        in relation: RelationCoder, of object: StoredObject
    ) -> [FieldValue.Reference] {
        object.objects(in: relation).compactMap { other in
            guard !other.state.contains(.deleted), let storedClass = other.storedClass else {
                return nil
            }
            return .init(
                className: storedClass.name, classNumber: storedClass.number, row: other.rowID)
        }
    }

    private static func describe(
        _ error: any Error, _ object: StoredObject, _ storedClass: StoredClass
    ) -> any Error {
        if let reason = error as? DataBufferError {
            return StoreError.cannotWrite(
                class: storedClass.name, row: object.rowID, reason: reason)
        }
        if error is EncodingError {
            return StoreError.cannotExport(class: storedClass.name, reason: "\(error)")
        }
        return error
    }
}

/// How `Codable` values become JSON and come back, with dates and bytes as other fields have them.
enum JSONCoding {
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            if case .text(let text) = JSONDate.json(of: date) {
                try container.encode(text)
            } else {
                try container.encode(date.timeIntervalSinceReferenceDate)
            }
        }
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(JSONBytes.text(of: data))
        }
        return encoder
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let seconds = try? container.decode(Double.self) {
                return Date(timeIntervalSinceReferenceDate: seconds)
            }
            guard let date = JSONDate.date(of: try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a date is expected")
            }
            return date
        }
        decoder.dataDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let data = JSONBytes.bytes(of: try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "hexadecimal bytes are expected")
            }
            return data
        }
        return decoder
    }
}

extension FieldType {
    /// Whether the values, or those of an optional, are what a `Codable` type makes of itself.
    var isCoded: Bool {
        switch self {
        case .compact: true
        case .optional(let wrapped): wrapped.isCoded
        case .scalar, .array, .set, .dictionary, .custom, .one, .many: false
        }
    }
}
