import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// What is read of a class's descriptor is what a mirror says of its objects, and is where their
/// properties are.
struct DeclaredPropertyTests {
    class Base: StoredObject {
        @Field var title = ""
        var plain = [1: "one"]
        @One var parent: Base?
        let fixed = (1, "two")
        @Field private(set) var hidden: [String: Date]?
    }

    class Pair<Left: Codable & Sendable, Right: StoredObject>: Base {
        @Field var left: Left?
        var unkept: Field<Int>?
        @Many var right: [Right]
        private var closure: (@Sendable (Int) -> Void)?
        lazy var late = 1
    }

    final class Leaf: Pair<[UUID], Base> {
        @Field var last: UInt8 = 1
    }

    final class Bare: StoredObject {
        var words = ["a": [1, 2]]
        var list: ObjectList<Bare> = []
        weak var other: Bare?
    }

    struct Found: Hashable {
        var name: String
        var wrapper: ObjectIdentifier
    }

    static let classes: [StoredObject.Type] = [
        Base.self, Pair<Int, Base>.self, Pair<String?, Bare>.self, Leaf.self, Bare.self,
        StoredObject.self, Song.self, Track.self, Everything.self,
    ]

    private func isWrapper(_ type: Any.Type) -> Bool { type is any DeclaredField.Type }

    @Test(arguments: classes.indices)
    func namesAndTypesAreThoseOfAMirror(_ index: Int) throws {
        let type = Self.classes[index]
        var mirrored: [[Found]] = []
        var mirror: Mirror? = Mirror(reflecting: type.init())
        while let level = mirror, level.subjectType != StoredObject.self {
            mirrored.append(
                level.children.compactMap { child in
                    guard isWrapper(Swift.type(of: child.value)), let label = child.label else {
                        return nil
                    }
                    return Found(
                        name: String(label.dropFirst()),
                        wrapper: ObjectIdentifier(Swift.type(of: child.value)))
                })
            mirror = level.superclassMirror
        }
        let levels = try DeclaredProperty.levels(of: type).map { try #require($0) }
        let found = levels.map { level in
            level.map { Found(name: $0.name, wrapper: ObjectIdentifier($0.wrapper)) }
        }
        #expect(found == mirrored)
    }

    /// The offsets are those that the compiler uses itself.
    @Test func placesAreThoseOfThePropertiesInAnObject() throws {
        let leaf = Leaf()
        let base = UnsafeRawPointer(Unmanaged.passUnretained(leaf).toOpaque())
        leaf.title = "a title of more than fifteen bytes"
        leaf.left = [UUID()]
        leaf.last = 200
        let levels = try DeclaredProperty.levels(of: Leaf.self).map { try #require($0) }
        let all = levels.flatMap { $0 }
        func value<Value>(_ name: String, _ type: Value.Type) throws -> Value {
            let property = try #require(all.first { $0.name == name })
            #expect(ObjectIdentifier(property.wrapper) == ObjectIdentifier(Field<Value>.self))
            return (base + property.offset).load(as: Value.self)
        }
        #expect(try value("title", String.self) == leaf.title)
        #expect(try value("left", [UUID]?.self) == leaf.left)
        #expect(try value("last", UInt8.self) == 200)
        withExtendedLifetime(leaf) {}
    }

    final class Renamed: StoredObject {
        @Field(was: "former") var first: String?
        var unkept = "nothing"
        @Field(was: "latter") var second = 2
        @Field var third: String?
    }

    @Test func declarationsGoToTheFieldsOfTheirTypes() throws {
        let entries = try FieldTable(Renamed.self).entries
        #expect(entries.map(\.name) == ["first", "second", "third"])
        #expect(entries.map(\.formerNames) == [["former"], ["latter"], []])
    }
}
