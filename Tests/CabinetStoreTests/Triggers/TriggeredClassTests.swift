import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet

/// Which classes have triggers, and of what.
struct TriggeredClassTests {
    private let backend = MemoryBackend()

    /// Writes its content itself.
    private final class Written: StoredObject {
        private var storedText = ""
        var text: String {
            get {
                willRead()
                return storedText
            }
            set {
                willChange()
                storedText = newValue
            }
        }
        static let calls = Guarded<[String]>([])

        override func writeContent(to buffer: DataBuffer) { buffer.writeString(storedText) }
        override func readContent(from buffer: DataBuffer) throws {
            storedText = try buffer.readString()
        }

        override class var triggers: [Trigger] {
            [
                .before(Written.self) { (written: Written, change) in
                    calls.withLock { $0.append("\(change.kind) \(change.former?.text ?? "-")") }
                    if !written.text.hasSuffix("!"), change.kind != .deleted { written.text += "!" }
                }
            ]
        }
    }

    @Test func aClassThatWritesItsContentItselfHasTriggers() throws {
        let store = try Store(backend: backend, classes: [Written.self])
        let written = Written()
        written.text = "a"
        store.insert(written)
        try store.save()
        written.text = "b"
        try store.save()
        try store.delete(written)
        try store.save()
        #expect(Written.calls.withLock { $0 } == ["inserted -", "changed a!", "deleted b!"])
    }

    @Test func aSubclassInheritsTriggers() throws {
        class Base: StoredObject {
            @Field var name = ""
            @Field var length = 0
            override class var triggers: [Trigger] {
                [.before(\Base.name) { (base: Base, _) in base.length = base.name.utf8.count }]
            }
        }
        final class Heir: Base {
            @Field var extra = 0
        }
        let store = try Store(backend: backend, classes: [Base.self, Heir.self])
        let heir = Heir()
        heir.name = "heir"
        store.insert(heir)
        try store.save()
        #expect(heir.length == 4)
    }

    @Test func aTriggerOfWhatIsNoFieldIsRefused() {
        final class Odd: StoredObject {
            @Field var size = 0
            var double: Int { size * 2 }
            override class var triggers: [Trigger] {
                [.before(\Odd.double) { (_: Odd, _) in }]
            }
        }
        #expect {
            _ = try Store(backend: backend, classes: [Odd.self])
        } throws: { error in
            if case StoreError.badTrigger(class: "Odd", trigger: "before", _) = error {
                true
            } else {
                false
            }
        }
    }
}
