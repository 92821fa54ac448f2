import Cabinet
import CabinetBackend

/// A record as it is shown: its fields or, where only its class can read it, its bytes.
struct ShownRecord {
    let row: RowID
    private let className: String
    private let record: DecodedRecord?
    /// Why the record cannot be read.
    let problem: String?
    private let size: Int
    private let hex: String

    init(
        _ bytes: UnsafeRawBufferPointer, _ row: RowID, of storedClass: StoreSchema.Class,
        by decoder: RecordDecoder, withHex: Bool
    ) {
        self.row = row
        className = storedClass.name
        size = bytes.count
        do {
            record = try decoder.decode(bytes, row: row, of: storedClass)
            problem = nil
        } catch {
            record = nil
            problem = error.description
        }
        hex = withHex || record?.fields == nil ? Program.hex(bytes) : ""
    }

    var json: JSONValue {
        let fields = record?.fields.map { fields in
            JSONValue.object(
                fields.map { JSONValue.Member(name: $0.name, value: $0.value.json) })
        }
        let surplus = record.map(\.surplusBytes) ?? 0
        return .members(
            ("class", .text(className)), ("row", .count(row.rawValue)),
            ("version", record?.version.map { .count($0) }),
            ("layout", record?.layout.map { .count($0) }),
            ("fields", fields), ("surplusBytes", surplus > 0 ? .count(surplus) : nil),
            ("handWritten", isHandWritten ? .truth(true) : nil),
            ("problem", problem.map { .text($0) }),
            ("bytes", fields == nil ? .count(size) : nil),
            ("hex", fields == nil ? .text(hex) : nil))
    }

    private var isHandWritten: Bool { record != nil && record?.fields == nil }

    var line: String {
        if let problem { return "\(row)  (\(problem))  \(hex)" }
        guard let fields = record?.fields else {
            let version = record?.version.map { " by version \($0)" } ?? ""
            return "\(row)  (written by hand\(version))  \(hex)"
        }
        return (["\(row)"] + fields.map { "\($0.name): \($0.value.line)" })
            .joined(separator: "  ")
    }

    var hexLine: String { "\(row)  \(hex)" }
}
