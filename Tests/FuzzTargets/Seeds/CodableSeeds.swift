import Cabinet
import Foundation

enum CodableSeeds {
    typealias Shape = CodableAttempt.Shape

    static var all: [FuzzSeed] {
        let mixed = CodableAttempt.Mixed(
            text: "ü and a text of more than sixty-three bytes, so that its length is a number",
            number: -1 << 70, numbers: [0, nil, 300, .max],
            date: Date(timeIntervalSinceReferenceDate: 1.25),
            id: UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"), data: Data([0, 255]),
            amount: Decimal(string: "-12.5"), shape: .circle(radius: 0.5), byNumber: [7: ["a"]],
            named: ["b": true])
        let shapes = [
            Shape.none, .group([.circle(radius: -1), .group([], name: "inner")], name: nil),
        ]
        let list = CodableAttempt.Link()
        var last = list
        for number in 1..<100 {
            let link = CodableAttempt.Link()
            link.number = Int8(number)
            last.next = link
            last = link
        }
        return [
            seed("mixed", 0, mixed), seed("shapes", 1, shapes), seed("chain", 2, list),
            seed("numbers", 3, ["long key of more than fifteen bytes": [0.1, nil, -0.0, 1e300]]),
            FuzzSeed("many-keys", [3, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]),
        ]
    }

    private static func seed<Value: Encodable>(
        _ name: String, _ choice: UInt8, _ value: Value
    ) -> FuzzSeed {
        let buffer = DataBuffer()
        buffer.writeCodable(value)
        return FuzzSeed(name, [choice] + buffer.withUnsafeBytes { Array($0.dropFirst(4)) })
    }
}
