import Cabinet

final class Tune: StoredObject {
    @Field var title = ""
    @Many var lists: [TuneList]
    @One var album: Disc?

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }
}
final class TuneList: StoredObject {
    @Field var title = ""
    @Many(inverse: \Tune.lists, onDelete: .nullify) var tunes: [Tune]
}
final class Disc: StoredObject {
    @Field var title = ""
    @Many(inverse: \Tune.album, onDelete: .deny) var tracks: [Tune]
    @One(inverse: \Booklet.album, onDelete: .cascade) var booklet: Booklet?
}
final class Booklet: StoredObject {
    @One var album: Disc?
}
/// Both sides in one class.
final class Branch: StoredObject {
    @Field var name = ""
    @One var parent: Branch?
    @Many(inverse: \Branch.parent) var children: [Branch]
}
/// Inverses that do not lead back.
final class Astray: StoredObject {
    @Many(inverse: \Tune.album) var tunes: [Tune]
}
final class Nowhere: StoredObject {
    @Many(inverse: \Tune.title) var tunes: [Tune]
}
final class Taken: StoredObject {
    @Many(inverse: \Shared.owners) var first: [Shared]
    @Many(inverse: \Shared.owners) var second: [Shared]
}
final class Shared: StoredObject {
    @Many var owners: [Taken]
}

let tunes: [StoredObject.Type] = [
    Tune.self, TuneList.self, Disc.self, Booklet.self, Branch.self,
]
