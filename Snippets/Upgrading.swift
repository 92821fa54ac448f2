import Cabinet
import Foundation

// Version 1 of the program had: title, seconds: UInt16, artist: String
final class Song: StoredObject {
    @Field(was: "title") var name = ""  // renamed
    @Field var seconds: UInt32 = 0  // widened from UInt16
    @Field var rating: UInt8?  // added: nil in old records
    // artist was removed: its values are skipped
}
