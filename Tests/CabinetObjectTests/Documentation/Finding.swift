import Cabinet
import Foundation

final class Lecture: StoredObject {
    @Field var title = ""
    @Field var seconds: UInt32 = 0

    override class var indexes: [Index] { [.ordered(\Lecture.seconds)] }
    override class var textIndexes: [TextIndex] { [.text(\Lecture.title)] }
}

func findLectures(in store: Store, typed: String) throws {
    let long = store.query(Lecture.self).filter(#Predicate { $0.seconds > 600 })
    for lecture in try long.sorted(by: \.title).limit(20).objects() {
        print(lecture.title, lecture.seconds)
    }
    for hit in try store.search(Lecture.self, #""low tide" OR sea*"#, in: \.title) {
        print(hit.object.title, hit.score)
    }
    // Forgives typos, and the last word may go on.
    let hits = try store.search(Lecture.self, SearchQuery(typed: typed), limit: 20)
    print(hits.map(\.object.title))
}
