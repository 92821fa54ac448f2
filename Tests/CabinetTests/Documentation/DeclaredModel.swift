import Cabinet
import Foundation

final class Recording: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0
    @Field var released: Date?
    @Many var mixtapes: [Mixtape]
}

final class Mixtape: StoredObject {
    @Field var title = ""
    @Many(inverse: \Recording.mixtapes, onDelete: .nullify) var recordings: [Recording]
}
