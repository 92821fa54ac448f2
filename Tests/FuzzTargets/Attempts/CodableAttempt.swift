import Cabinet
import Foundation

/// Decodes a `Codable` value of a type that the first byte chooses from the bytes behind it.
enum CodableAttempt {
    indirect enum Shape: Codable, Hashable {
        case none
        case circle(radius: Float)
        case group([Shape], name: String?)
    }

    final class Link: Codable, Equatable {
        var next: Link?
        var number: Int8 = 0

        static func == (one: Link, other: Link) -> Bool {
            one.number == other.number && one.next == other.next
        }
    }

    struct Mixed: Codable, Hashable {
        var text = ""
        var number: Int128 = 0
        var numbers: [UInt16?] = []
        var date: Date?
        var id: UUID?
        var data: Data?
        var amount: Decimal?
        var shape: Shape?
        var byNumber: [Int: [String]] = [:]
        var named: [String: Bool] = [:]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let choice = bytes.first else { return }
        let data = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        // Property lists are Foundation's business.
        if data.first == UInt8(ascii: "b") { return }
        switch choice % 4 {
        case 0: attempt(Mixed.self, data)
        case 1: attempt([Shape].self, data)
        case 2: attempt(Link.self, data)
        default: attempt([String: [Double?]].self, data)
        }
    }

    private static func attempt<Value: Codable & Equatable>(
        _ type: Value.Type, _ data: UnsafeRawBufferPointer
    ) {
        let buffer = DataBuffer()
        buffer.writeCounted(data)
        let value: Value
        do {
            value = try buffer.readCodable(type)
            precondition(buffer.remaining == 0)
        } catch {
            precondition(buffer.position == 0, "A failed read has moved: \(error)")
            return precondition(!error.description.isEmpty)
        }
        // What is no number equals nothing, and what may be read may be too deep to be written.
        guard value == value else { return }
        let again = DataBuffer()
        again.writeCodable(value)
        if again.writeError != nil { return }
        do {
            let found = try again.readCodable(type)
            precondition(found == value, "It came back as another")
        } catch {
            preconditionFailure("What was written cannot be read: \(error)")
        }
    }
}
