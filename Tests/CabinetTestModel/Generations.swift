import Cabinet
import Foundation

/// One class as it was written over the years.
enum First {
    final class Item: StoredObject {
        @Field var name = ""
        @Field var size: Int16 = 0
        @Field var rating: UInt8 = 0
        @Field var secret = "gone"
        @Field var tags: [Int32] = []
        @Field var price: Int32 = 0
        @One var parent: Item?
        @One var friend: Item?
        @Many var children: [Item]
    }
}
enum Second {
    final class Item: StoredObject {
        @Field var added = "default"
        @Many var children: [StoredObject]
        @Field var rating: Int64 = -1
        @Field(was: "name") var title = ""
        @Field var size: Double?
        @Field var tags: [Int?] = []
        @One var parent: StoredObject?
        @Field var price: Int32 = 0
        @Many(was: "friend") var friends: [Item]
    }
}
enum Third {
    /// A price became a text, and no `upgrade(from:)` converts it.
    final class Item: StoredObject {
        @Field var price = ""
    }
}
enum Fourth {
    final class Item: StoredObject {
        @Field var price = ""
        @Field var label = ""

        override func upgrade(from record: RawRecord) throws {
            let cents = try record.value("price", as: Int64.self) ?? 0
            price = "\(cents / 100).\(cents % 100)"
            label = try record.value("title") ?? record.value("name") ?? "none"
            if try record.objects("parent")?.isEmpty == false { label += ", child" }
        }
    }
}
enum Fifth {
    final class Item: StoredObject {
        @Field var price: Int32 = 0
        override class var version: UInt8 { 2 }
    }
}

/// A class that wrote by hand, and declares fields now.
enum Before {
    final class Song: StoredObject {
        var title = ""
        var seconds: UInt32 = 0
        override class var version: UInt8 { 3 }
        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(title)
            buffer.writeUInt32(seconds)
        }
        override func readContent(from buffer: DataBuffer) throws {
            title = try buffer.readString()
            seconds = try buffer.readUInt32()
        }
    }
}
enum After {
    final class Song: StoredObject {
        @Field var seconds: UInt32 = 0
        @Field var title = ""
        @Field var rating: Int?
        override class var version: UInt8 { 3 }
        override func readContent(from buffer: DataBuffer) throws {
            title = try buffer.readString()
            seconds = buffer.versionOfData < 2 ? 0 : try buffer.readUInt32()
        }
    }
}
enum Unread {
    final class Song: StoredObject {
        @Field var title = ""
        override class var version: UInt8 { 3 }
    }
}
