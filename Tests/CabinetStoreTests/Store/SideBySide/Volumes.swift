@testable import Cabinet

/// Albums with volumes, for tests of stores side by side.
final class Bookcase: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Many(inverse: \Volume.bookcase) var volumes: [Volume]
    @Many(inverse: \Topic.cases) var topics: [Topic]
}

final class Volume: StoredObject {
    @Field var title = ""
    @Field var seconds = 0
    @One var bookcase: Bookcase?
    @One(inverse: \Jacket.volume) var jacket: Jacket?
}

final class Jacket: StoredObject {
    @Field var name = ""
    @One var volume: Volume?
}

final class Topic: StoredObject {
    @Field var name = ""
    @Many var cases: [Bookcase]
}

let volumeClasses: [StoredObject.Type] = [Bookcase.self, Volume.self, Jacket.self, Topic.self]
