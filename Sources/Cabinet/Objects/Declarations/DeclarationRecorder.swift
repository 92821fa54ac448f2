import CabinetBackend
import Synchronization

/// What a field's declaration says beside its value.
@usableFromInline
struct FieldDeclaration: Sendable {
    /// The wrapper with its value's type.
    let wrapper: any DeclaredField.Type
    /// The field's name in earlier layouts, if it had another.
    let formerName: String?
    var rule: DeleteRule?
    /// The value for raw values of newer programs, as its form writes it.
    var unknown: [UInt8]?
    var isUnique = false
    /// The other side, for a relationship that names it.
    var inverse: (AnyKeyPath & Sendable)?
}

/// Collects the declarations of one object's fields: each field's initialiser notes what was
/// declared.
///
/// While no recorder is active, an initialiser pays a load and a test. `Sendable`, because it
/// guards what it collects.
@usableFromInline
final class DeclarationRecorder: Sendable {
    /// The recorder of the objects that are made in this task.
    @TaskLocal private static var current: DeclarationRecorder?
    /// How many recorders are active, in all tasks.
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
    /// finished before that field is noted, so the last ones noted are `object`'s own.
    static func finish(_ object: StoredObject) {
        let type = Swift.type(of: object)
        guard let current, type != StoredObject.self else { return }
        let isSilent = current.unfinished.withLock { $0.isEmpty }
        let levels = isSilent ? [] : DeclaredProperty.levels(of: type)
        let own = current.unfinished.withLock { noted in
            // If a class does not describe its properties, all noted declarations may be theirs.
            let isKnown = levels.allSatisfy { $0 != nil }
            let count = isKnown ? levels.reduce(0) { $0 + ($1?.count ?? 0) } : noted.count
            let own = Array(noted.suffix(count))
            noted.removeLast(own.count)
            return own
        }
        current.finished.withLock { $0 = own }
    }
}

/// What the field wrappers have in common. Their value lies at their very front.
@usableFromInline
protocol DeclaredField: SendableMetatype {
    /// How values come into a record and out of it; `nil` if they cannot.
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder?
}
