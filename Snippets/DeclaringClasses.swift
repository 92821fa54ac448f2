import Cabinet
import Foundation

enum Mood: UInt8 {
    case calm = 1
    case loud
}

struct Chapter: Codable, Equatable {
    var title: String
    var start: Double
}

final class Song: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @Field var released: Date?
    @Field var mood = Mood.calm
    @Field var tags: Set<String> = []
    @Field var plays: [String: Int] = [:]
    @Field var chapters: [Chapter] = []
    var isSelected = false  // not kept

    convenience init(_ title: String, seconds: UInt32 = 0) {
        self.init()
        self.title = title
        self.seconds = seconds
    }
}
