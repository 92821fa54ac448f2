import CabinetBackend
import Synchronization

/// What a field's declaration says beside its value.
@usableFromInline
struct FieldDeclaration: Sendable {
    /// The wrapper with its value's type.
    let wrapper: ObjectIdentifier
    /// The field's name in earlier layouts, if it had another.
    let formerName: String?
    var rule: DeleteRule?
    var isUnique = false
    /// The other side, for a relationship that names it.
    var inverse: (AnyKeyPath & Sendable)?
}

/// Listens while one object is made to be looked at: each field's initialiser says what was
/// declared.
///
/// While nobody listens, an initialiser pays a load and a test. `Sendable`, because it guards what
/// it hears.
@usableFromInline
final class DeclarationRecorder: Sendable {
    /// Who listens to the objects that are made in this task.
    @TaskLocal private static var current: DeclarationRecorder?
    /// How many recorders listen, in all tasks.
    @usableFromInline static let active = Atomic<Int>(0)

    /// Declarations of objects that are still being initialised.
    private let unfinished = Guarded<[FieldDeclaration]>([])
    /// Those of the object that was finished last.
    private let finished = Guarded<[FieldDeclaration]>([])

    @inlinable @inline(__always)
    static var isActive: Bool { active.load(ordering: .relaxed) != 0 }

    /// A new object of class `type`, and what its fields' initialisers said in their order: the
    /// most derived class's first.
    static func probe(
        _ type: StoredObject.Type
    ) -> (object: StoredObject, declarations: [FieldDeclaration]) {
        active.add(1, ordering: .relaxed)
        defer { active.subtract(1, ordering: .relaxed) }
        let recorder = DeclarationRecorder()
        let object = $current.withValue(recorder) { type.init() }
        return (object, recorder.finished.withLock { $0 })
    }

    /// A field is being initialised.
    static func note(_ declaration: FieldDeclaration) {
        current?.unfinished.withLock { $0.append(declaration) }
    }

    /// All fields of `object` are initialised. Objects that are made for a field's first value are
    /// finished before that field is noted, so the last ones heard are `object`'s own.
    static func finish(_ object: StoredObject) {
        guard let current else { return }
        var count = 0
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            count += level.children.count { $0.value is any DeclaredField }
            mirror = level.superclassMirror
        }
        let own = current.unfinished.withLock { heard in
            let own = Array(heard.suffix(count))
            heard.removeLast(own.count)
            return own
        }
        current.finished.withLock { $0 = own }
    }
}

/// What the field wrappers have in common. Their value lies at their very front.
@usableFromInline
protocol DeclaredField {
    /// How values come into a record and out of it; `nil` if they cannot.
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder?
}
