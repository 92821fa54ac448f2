import Cabinet

/// Declared classes that track their referrers, with relationships of all kinds.
class Bead: StoredObject {
    @Field var number = 0
    @One var next: Bead?
    @Many var others: [Bead]
    @One(onDelete: .nullify) var favorite: Bead?
    @Many var fans: [Bead]
    @Many(inverse: \Bead.fans) var idols: [Bead]
    @One var parent: Bead?
    @Many(inverse: \Bead.parent, onDelete: .nullify) var children: [Bead]
    @Many(onDelete: .cascadeWhenLastReference, unique: true) var parts: [Part]

    override class var tracksReferrers: Bool { true }

    /// Changes what it refers to while a save is prepared.
    override func validate() throws {
        if number % 13 == 12 {
            next = nil
            number += 1
        }
    }
}

final class SpecialBead: Bead {}

final class Part: StoredObject {
    @Field var number = 0
    @One var maker: Bead?
}

/// A value of a program's own that refers to an object, in a declared field.
struct Badge: BufferValue {
    var link: Bead?

    func write(to buffer: DataBuffer) { buffer.writeAnyReference(link) }
    static func read(from buffer: DataBuffer) throws(DataBufferError) -> Badge {
        let offset = buffer.position
        do {
            return Badge(link: try buffer.readAnyReference() as? Bead)
        } catch let error as DataBufferError {
            throw error
        } catch {
            throw .invalidValue(type: "Badge", offset: offset)
        }
    }
    static var minimumSize: Int { 5 }
}

final class Badged: StoredObject {
    @Field var number = 0
    @Field var badge = Badge()
    @One var link: Bead?
}

/// Writes its content by hand.
final class Handmade: StoredObject {
    private var storedLinks: [Bead] = []
    var links: [Bead] {
        get {
            willRead()
            return storedLinks
        }
        set {
            willChange()
            storedLinks = newValue
        }
    }
    override func writeContent(to buffer: DataBuffer) {
        buffer.writeUInt32(UInt32(storedLinks.count))
        for link in storedLinks { buffer.writeAnyReference(link) }
    }
    override func readContent(from buffer: DataBuffer) throws {
        storedLinks = []
        for _ in 0..<(try buffer.readUInt32()) {
            if let link = try buffer.readAnyReference() as? Bead { storedLinks.append(link) }
        }
    }
    override func dissolveAllRelationships() { storedLinks = [] }
}

/// What earlier programs wrote: without inverses, and with another name for a field.
enum EarlierBeads {
    final class Bead: StoredObject {
        @Field var number = 0
        @One var following: Bead?
        @Many var others: [Bead]
        @Many var idols: [Bead]
        @Many var children: [Bead]
        override class var storageName: String { "Upgraded" }
    }
}

/// A later class for the same records, which is brought up to date while it is read.
final class UpgradedBead: StoredObject {
    @Field var number = 0
    @One(was: "following") var next: UpgradedBead?
    @Many var others: [UpgradedBead]
    @Many var fans: [UpgradedBead]
    @Many(inverse: \UpgradedBead.fans) var idols: [UpgradedBead]
    @One var parent: UpgradedBead?
    @Many(inverse: \UpgradedBead.parent) var children: [UpgradedBead]
    @One(onDelete: .nullify) var favorite: UpgradedBead?

    override class var storageName: String { "Upgraded" }
    override class var tracksReferrers: Bool { true }

    override func upgrade(from record: RawRecord) throws {
        if number % 3 == 0 { others = [self] }
        if number % 5 == 0 { favorite = next }
    }
}

let beads: [StoredObject.Type] = [
    Bead.self, SpecialBead.self, Part.self, Badged.self, Handmade.self,
]
