import Cabinet
import CabinetMemory
import Foundation

/// What a piece of music is; stored by its raw value.
enum Temper: Int32, CaseIterable, Codable, Comparable, Sendable {
    case calm, glad, wild

    static func < (one: Temper, other: Temper) -> Bool { one.rawValue < other.rawValue }
}

/// Of whom a piece is.
final class Maker: StoredObject {
    @Field var name = ""

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

/// An object with fields of many types, and properties that are none.
class Piece: StoredObject {
    @Field var title = ""
    @Field var subtitle: String?
    @Field var year = 0
    @Field var rating: Int32 = 0
    @Field var score = 0.0
    @Field var tempo: Float = 0
    @Field var plays: UInt64?
    @Field var released: Date?
    @Field var isLive = false
    @Field var mood = Temper.calm
    @Field var tags: [String] = []
    @Field var number = UUID()
    @Field var price: Decimal = 0
    @One var maker: Maker?

    /// Reads one field, and gives something else.
    var loudTitle: String {
        get { title.uppercased() }
        set { title = newValue }
    }

    /// Traps for an object without content.
    var certainYear: Int { Int(title.split(separator: " ")[1])! + year }

    convenience init(_ title: String, year: Int = 0, rating: Int32 = 0) {
        self.init()
        self.title = title
        self.year = year
        self.rating = rating
    }
}

/// Inherits its fields.
final class LivePiece: Piece {
    @Field var venue = ""
}

/// Writes itself by hand.
final class Ballad: StoredObject {
    private var storedTitle = ""

    var title: String {
        get {
            willRead()
            return storedTitle
        }
        set {
            willChange()
            storedTitle = newValue
        }
    }

    override func writeContent(to buffer: DataBuffer) { buffer.writeString(storedTitle) }
    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
    }
}

/// A store of pieces, and others over the same records, which have nothing in memory.
struct Catalogue {
    static let classes: [StoredObject.Type] = [
        Piece.self, LivePiece.self, Maker.self, Ballad.self,
    ]

    let backend = MemoryBackend()
    let store: Store

    init() throws { store = try Store(backend: backend, classes: Self.classes) }

    /// Saves what is pending, and opens another store.
    func reopened() throws -> Store {
        try store.save()
        return try Store(backend: backend, classes: Self.classes)
    }

    func add(_ objects: [StoredObject]) { for object in objects { store.insert(object) } }
}
