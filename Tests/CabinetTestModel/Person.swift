import Cabinet
import Foundation

/// A class of the 2010 format: a legacy date, big-endian floats, references of one and of any
/// class.
final class Person: StoredObject {
    struct Values: Equatable {
        var name = ""
        var birthday: Date?
        var height: Float = 0
        var weight = 0.0
        var photo = Data()
        var stars: UInt8 = 0
    }

    private var storedValues = Values()
    private var storedFriend: Person?
    private var storedThings: [StoredObject] = []

    var values: Values {
        get {
            willRead()
            return storedValues
        }
        set {
            willChange()
            storedValues = newValue
        }
    }
    var friend: Person? {
        get {
            willRead()
            return storedFriend
        }
        set {
            willChange()
            storedFriend = newValue
        }
    }
    var things: [StoredObject] {
        get {
            willRead()
            return storedThings
        }
        set {
            willChange()
            storedThings = newValue
        }
    }

    convenience init(_ name: String, friend: Person? = nil, things: [StoredObject] = []) {
        self.init()
        storedValues.name = name
        storedFriend = friend
        storedThings = things
    }

    override class var version: UInt8 { 7 }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedValues.name)
        buffer.writeLegacyDate(storedValues.birthday)
        buffer.writeFloat(storedValues.height)
        buffer.writeDouble(storedValues.weight)
        buffer.writeData(storedValues.photo)
        buffer.writeReference(storedFriend)
        buffer.writeAnyReferences(storedThings)
        buffer.writeUInt8(storedValues.stars)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedValues.name = try buffer.readString()
        storedValues.birthday = try buffer.readLegacyDate()
        storedValues.height = try buffer.readFloat()
        storedValues.weight = try buffer.readDouble()
        storedValues.photo = try buffer.readData()
        storedFriend = try buffer.readReference()
        storedThings = try buffer.readAnyReferences()
        storedValues.stars = try buffer.readUInt8()
    }

    override func dissolveAllRelationships() {
        storedFriend = nil
        storedThings = []
    }
}
