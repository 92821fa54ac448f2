import Cabinet

class Member: StoredObject {
    @Field var name = ""

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}
final class Author: Member {
    @Many(onDelete: .cascade) var drafts: [Chapter]
}
final class Chapter: StoredObject {
    @Field var title = ""
    @One var next: Chapter?

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }
}
final class Book: StoredObject {
    @Field var title = ""
    @Many(onDelete: .cascade) var chapters: [Chapter]
    @One var owner: Member?
    @Many var readers: [Member]
    @Many(unique: true) var favorites: [StoredObject]
    @Many(onDelete: .nullify) var shelves: [Shelf]

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }
}
final class Shelf: StoredObject {
    @Field var place = ""
    @One(onDelete: .deny) var oldest: Book?
    @Many(onDelete: .cascadeWhenLastReference) var labels: [Label]
}
final class Label: StoredObject {
    @Field var text = ""
    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}
/// A chain whose links delete each other.
final class Link: StoredObject {
    @One(onDelete: .cascade) var next: Link?
}

let library: [StoredObject.Type] = [
    Member.self, Author.self, Chapter.self, Book.self, Shelf.self, Label.self, Link.self,
]
