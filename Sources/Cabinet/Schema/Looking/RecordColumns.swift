import CabinetBackend
import Foundation

/// Takes records of declared classes apart for engines that show them to other programs.
struct RecordColumns: RecordTranslator {
    func tables(of reader: any BackendReader) throws(BackendError) -> [any TranslatedTable] {
        let schema: StoreSchema
        do { schema = try StoreSchema(reader) } catch let error as BackendError {
            throw error
        } catch {
            // What cannot be understood is not shown.
            return []
        }
        let decoder = RecordDecoder(schema)
        return schema.classes.lazy.filter { $0.isDeclared && $0.problem == nil }
            .map { ClassColumns($0, decoder) }
    }
}

/// The records of one class.
private final class ClassColumns: TranslatedTable {
    let fields: [TranslatedField]
    private let storedClass: StoreSchema.Class
    private let decoder: RecordDecoder
    private var places: [String: Int] = [:]
    private var targets: [String: String] = [:]

    var number: TableNumber { storedClass.table }
    var name: String { storedClass.name }

    init(_ storedClass: StoreSchema.Class, _ decoder: RecordDecoder) {
        self.storedClass = storedClass
        self.decoder = decoder
        var fields: [TranslatedField] = []
        for (age, layout) in storedClass.layouts.reversed().enumerated() {
            for field in layout.fields ?? [] {
                if let place = places[field.name] {
                    fields[place].isInEarlierRecords = true
                    continue
                }
                places[field.name] = fields.count
                targets[field.name] = field.relationship?.target
                fields.append(TranslatedField(name: field.name, isInEarlierRecords: age > 0))
            }
        }
        self.fields = fields
    }

    func values(of record: UnsafeRawBufferPointer, at row: RowID) -> [PlainValue]? {
        guard let found = try? decoder.decode(record, row: row, of: storedClass).fields else {
            return nil
        }
        var values = [PlainValue](repeating: .none, count: fields.count)
        for (index, field) in found.enumerated() {
            // Mostly a record of the latest layout, whose fields come first.
            let place =
                index < fields.count && fields[index].name == field.name
                ? index : places[field.name]
            if let place { values[place] = field.value.plain(toClass: targets[field.name]) }
        }
        return values
    }
}

extension FieldValue {
    /// The value as databases know it: what they have no type for as text, collections as JSON, dates as
    /// seconds since 1970-01-01 00:00 UTC.
    /// - Parameter target: the class that a relationship leads to: of its objects the row says which.
    fileprivate func plain(toClass target: String?) -> PlainValue {
        switch self {
        case .none: .none
        case .bool(let value): .integer(value ? 1 : 0)
        case .integer(let value):
            Int64(exactly: value).map { .integer($0) } ?? .text("\(value)")
        case .largeInteger(let value): .text("\(value)")
        case .float(let value): value.isNaN ? .none : .real(Double(value))
        case .double(let value): value.isNaN ? .none : .real(value)
        case .text(let value): .text(value)
        case .bytes(let value), .custom(_, let value): .bytes([UInt8](value))
        case .date(let value):
            value.timeIntervalSince1970.isNaN ? .none : .real(value.timeIntervalSince1970)
        case .uuid(let value): .text(value.uuidString)
        case .url(let value): .text(value.absoluteString)
        case .decimal(let value): value.isNaN ? .none : .text("\(value)")
        case .reference(let reference) where reference.className == target:
            .integer(Int64(reference.row.rawValue))
        case .references(let references):
            .text(
                JSONValue.list(
                    references.map {
                        $0.className == target ? .count($0.row.rawValue) : $0.json
                    }
                ).written)
        case .list, .dictionary, .codable, .reference: .text(json.written)
        }
    }
}
