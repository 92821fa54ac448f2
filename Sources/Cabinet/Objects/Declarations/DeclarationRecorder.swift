import CabinetBackend
import Synchronization

/// What a field's declaration says beside its value.
@usableFromInline
struct FieldDeclaration: Sendable {
    /// The wrapper with its value's type.
    let wrapper: any DeclaredField.Type
    /// The names that the field had in earlier programs, the latest first.
    let formerNames: [String]
    var rule: DeleteRule?
    /// The value for raw values of newer programs, as its form writes it.
    var unknown: [UInt8]?
    var isUnique = false
    var inverse: (AnyKeyPath & Sendable)?
}

/// Collects the declarations of one object's fields, which their initialisers note.
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
    /// The key path that is being looked at, if any.
    private let reading = Guarded<Reading?>(nil)

    @inlinable @inline(__always)
    static var isActive: Bool { active.load(ordering: .relaxed) != 0 }

    /// A new object of class `type`, and what its fields declare: the most derived class's first.
    static func probe(
        _ type: StoredObject.Type
    ) -> (object: StoredObject, declarations: [FieldDeclaration]) {
        active.add(1, ordering: .relaxed)
        defer { active.subtract(1, ordering: .relaxed) }
        let recorder = DeclarationRecorder()
        let object = $current.withValue(recorder) { type.init() }
        return (object, recorder.finished.withLock { $0 })
    }

    static func note(_ declaration: FieldDeclaration) {
        current?.unfinished.withLock { $0.append(declaration) }
    }

    /// All fields of `object` are initialised. Objects made for a field's first value are finished
    /// before that field is noted, so the last ones noted are `object`'s own.
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

// MARK: - Key paths

extension DeclarationRecorder {
    private struct Reading: Sendable {
        /// Never changes, so threads may share it.
        nonisolated(unsafe) let asked: AnyKeyPath
        let type: StoredObject.Type
        var count = 0
        /// Where the field lies that the key path stands for.
        var place: UInt?

        /// Whether what was asked is the field of `declared` in the declaring class.
        func stands(for declared: AnyKeyPath) -> Bool {
            guard let owner = Swift.type(of: declared).rootType as? StoredObject.Type else {
                return false
            }
            if owner == type { return asked == declared }
            return InheritedPath.stands(asked, for: declared, of: owner, in: type)
        }
    }

    /// Where the declared field lies that `keyPath` stands for, of the class of `object` or of a
    /// superclass; `nil` for any other property: a computed one, or one that a subclass overrides.
    ///
    /// - Parameters:
    ///   - object: one that is in no store.
    ///   - read: reads `keyPath` from it.
    static func offset(
        of keyPath: AnyKeyPath, in object: StoredObject, _ read: () -> Void
    ) -> Int? {
        active.add(1, ordering: .relaxed)
        defer { active.subtract(1, ordering: .relaxed) }
        let recorder = DeclarationRecorder()
        recorder.reading.withLock { $0 = Reading(asked: keyPath, type: type(of: object)) }
        object.state.formUnion(.reportsReads)
        defer { object.state.subtract(.reportsReads) }
        $current.withValue(recorder, operation: read)
        let base = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return recorder.reading.withLock { reading in
            guard let reading, reading.count == 1, let place = reading.place else { return nil }
            return place >= base ? Int(place - base) : nil
        }
    }

    /// The field at `place` is being read. In the class that declares it, `keyPath` stands for it.
    fileprivate static func noteRead(at place: UnsafeRawPointer, by keyPath: AnyKeyPath) {
        guard let current else { return }
        nonisolated(unsafe) let keyPath = keyPath
        let place = UInt(bitPattern: place)
        current.reading.withLock { reading in
            reading?.count += 1
            if reading?.stands(for: keyPath) == true { reading?.place = place }
        }
    }
}

extension StoredObject {
    /// The field at `place` is read, which `keyPath` stands for in the class that declares it: does
    /// what ``willRead()`` does.
    ///
    /// The key path is made only while a recorder asks for it. Generic, so that the compiler passes
    /// what it is made from.
    @inline(never) @usableFromInline
    final func noteRead<Path: AnyKeyPath>(
        at place: UnsafeRawPointer, by keyPath: @autoclosure () -> Path
    ) {
        if DeclarationRecorder.isActive {
            DeclarationRecorder.noteRead(at: place, by: keyPath())
        }
        noteRead(at: place)
    }
}

/// What the field wrappers have in common. Their value lies at their very front.
@usableFromInline
protocol DeclaredField: SendableMetatype {
    /// How values come into a record and out of it; `nil` if they cannot.
    static func makeCoder(_ declaration: FieldDeclaration?) -> FieldCoder?
}
