import Cabinet
import Foundation

enum Genre: String, Codable { case jazz, soul }
enum Mood: UInt8 {
    case calm = 1
    case wild
}
struct Place: Codable, Equatable {
    var city = ""
    var code: Int?
}
/// A value with a form of its own.
struct Money: BufferValue, Hashable {
    var cents: Int64
    func write(to buffer: DataBuffer) { buffer.writeInt64(cents) }
    static func read(from buffer: DataBuffer) throws(DataBufferError) -> Money {
        Money(cents: try buffer.readInt64())
    }
}

final class Track: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @Field var released: Date?

    convenience init(_ title: String, seconds: UInt32 = 0) {
        self.init()
        self.title = title
        self.seconds = seconds
    }
}

/// Every kind of field, and properties that are no fields in between.
final class Everything: StoredObject {
    @Field var bool = false
    var notes: any Hashable = "not stored"
    @Field var int8: Int8 = 0
    @Field var uint64: UInt64 = 0
    lazy var cache = [1, 2, 3]
    @Field var int = 0
    @Field var float: Float = 0
    @Field var double = 0.0
    weak var friend: Everything?
    @Field var text = "first"
    @Field var data = Data()
    @Field var date = Date(timeIntervalSinceReferenceDate: 0)
    @Field var uuid: UUID?
    @Field var url: URL?
    @Field var decimal: Decimal = 0
    @Field var genre = Genre.jazz
    @Field var mood: Mood?
    @Field var moods = Mood.calm
    @Field var price = Money(cents: 0)
    @Field var prices: [Money] = []
    @Field var place = Place()
    @Field var birthplace: Place?
    @Field var places: [Place] = []
    @Field var numbers: [Int32?] = []
    @Field var tags: Set<String> = []
    @Field var counts: [String: [Int]] = [:]

    func fill() {
        bool = true
        int8 = -8
        uint64 = .max
        int = .min
        float = 1.5
        double = -0.1
        text = "Ääkköset and a text that is longer than fifteen bytes"
        data = Data([0, 1, 255])
        date = Date(timeIntervalSinceReferenceDate: 1234.5)
        uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
        url = URL(string: "https://example.org/a?b=c")
        decimal = Decimal(string: "-12.345")!
        genre = .soul
        mood = .wild
        moods = .wild
        price = Money(cents: -99)
        prices = [Money(cents: 1), Money(cents: 2)]
        place = Place(city: "Turku", code: 20100)
        birthplace = Place(city: "Oulu")
        places = [Place(), Place(city: "Pori", code: 1)]
        numbers = [1, nil, -3]
        tags = ["a", "b"]
        counts = ["x": [1, 2], "y": []]
    }
}

/// A subclass of a declared class, and one of that.
class Work: StoredObject {
    @Field var name = "untitled"
    @Field var year: Int16 = 0
}
class Painting: Work {
    @Field var width = 0.0
}
final class Fresco: Painting {
    @Field var wall: String?
}

/// Declared fields under hands of its own.
final class Custom: StoredObject {
    @Field var text = ""
    @Field var extra = 0

    override func writeContent(to buffer: DataBuffer) {
        super.writeContent(to: buffer)
        buffer.writeString("end")
    }
    override func readContent(from buffer: DataBuffer) throws {
        try super.readContent(from: buffer)
        guard try buffer.readString() == "end" else {
            throw DataBufferError.invalidValue(type: "Custom", offset: buffer.position)
        }
    }
}

/// An optional of a type that has no stored form, which only registration can tell.
final class Unkept: StoredObject {
    struct Secret {}
    @Field var title = ""
    @Field var secret: Secret?
}
