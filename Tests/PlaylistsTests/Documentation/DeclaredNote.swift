import Cabinet
import Foundation

final class Note: StoredObject {
    @Field var text = ""
    @Field var written: Date?

    override class var version: UInt8 { 2 }
    override func readContent(from buffer: DataBuffer) throws { text = try buffer.readString() }
}
