import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    struct UnknownClass: Error, CustomStringConvertible {
        let name: String
        let known: [String]

        var description: String {
            "There is no class \"\(name)\". There are: \(known.joined(separator: ", "))."
        }
    }

    func storedClass(_ name: String, in schema: StoreSchema) throws -> StoreSchema.Class {
        guard let found = schema[name] else {
            throw UnknownClass(name: name, known: schema.classes.map(\.name))
        }
        return found
    }

    static func row(_ text: String) throws -> RowID {
        guard let row = UInt32(text).map(RowID.init(rawValue:)), row > .none, row < .max else {
            throw UsageError.badRow(text)
        }
        return row
    }

    func dump(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let decoder = RecordDecoder(try StoreSchema(backend))
        decoder.targets = backend
        let storedClass = try storedClass(invocation.operands[1], in: decoder.schema)
        var status = ExitStatus.sound
        let isHex = invocation.options.contains(.hex)
        func write(_ row: RowID, _ value: UnsafeRawBufferPointer) {
            let shown = ShownRecord(value, row, of: storedClass, by: decoder, withHex: isHex)
            if shown.problem != nil { status = .findings }
            answer(invocation, shown.json, [isHex ? shown.hexLine : shown.line])
        }
        if invocation.operands.count > 2 {
            let row = try Self.row(invocation.operands[2])
            let buffer = DataBuffer()
            guard try backend.value(of: row, in: storedClass.table, into: buffer) else {
                say("cabinet-inspect: \(storedClass.name) has no row \(row).")
                return .failed
            }
            buffer.withUnsafeBytes { write(row, $0) }
            return status
        }
        let cursor = try backend.records(in: storedClass.table)
        let run = RecordRun()
        while try cursor.next(run) {
            while let (row, value) = run.next() { write(row, value) }
        }
        return status
    }

    static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
