import Cabinet
import Foundation
import Testing

@testable import CabinetTestModel

/// Objects that hold one another in a row are freed on a small stack, however many they are: one
/// within the other, 6,000 of them used up a thread's 512 KiB.
struct ChainTests {
    private static let length = 20_000

    @Test func relationshipsAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.expectFreed(Chains.Link.self) { $0.next = $1 }
            Self.expectFreed(Chains.Listed.self) { $0.rest = [$1] }
        }
    }

    @Test func objectsHeldSeveralTimesAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.expectFreed(Chains.Twin.self) { twin, next in
                (twin.left, twin.right, twin.both) = (next, next, [next, next])
            }
        }
    }

    @Test func variablesAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.expectFreed(Chains.Written.self) { $0.next = $1 }
        }
    }

    @Test func objectListsAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.expectFreed(Chains.Rows.self) { $0.rows = [$1] }
        }
    }

    @Test func genericClassesAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.expectFreed(Chains.Generic<[String]>.self) { $0.next = $1 }
        }
    }

    @Test func listsInVariablesAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.expectFreed(Chains.Manifold.self, each: 2) { $0.list = [$1] }
            Self.expectFreed(Chains.Manifold.self, each: 2) { $0.optionalList = [$1] }
            Self.expectFreed(Chains.Manifold.self, each: 2) { $0.next = $1 }
        }
    }

    @Test func classesInTurnAreFreedOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.onSmallStack {
                do {
                    let (odd, even) = (Chains.Odd(), Chains.Even())
                    odd.next = even
                    even.others = [Chains.Odd()]
                }
                Chains.freed = 0
                var head: Chains.Odd? = nil
                for _ in 0..<Self.length {
                    let (odd, even) = (Chains.Odd(), Chains.Even())
                    odd.next = even
                    if let head { even.others = [head] }
                    head = odd
                }
                head = nil
                precondition(Chains.freed == 2 * Self.length)
            }
        }
    }

    /// The tail is inserted first, so that the store's list releases the head last.
    @Test func aSaveFreesThemOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.onSmallStack {
                let store = try Store(inMemory: Chains.classes)
                try Self.insertLinks(store)
                Chains.freed = 0
                try store.save()
                precondition(Chains.freed == Self.length)
            }
        }
    }

    @Test func aRollbackAndAClosedStoreLeaveNoDeepChain() async {
        await #expect(processExitsWith: .success) {
            Self.onSmallStack {
                let store = try Store(inMemory: Chains.classes)
                try Self.insertLinks(store)
                Chains.freed = 0
                store.rollback()
                precondition(Chains.freed == Self.length)
                try Self.insertLinks(store)
                Chains.freed = 0
                try store.close()
                precondition(Chains.freed == Self.length)
            }
        }
    }

    @Test func dissolvingFreesThemOneAfterTheOther() async {
        await #expect(processExitsWith: .success) {
            Self.onSmallStack {
                let store = try Store(inMemory: Chains.classes)
                try Self.insertLinks(store)
                try store.save()
                let head = try store.objects(of: Chains.Link.self).max { $0.number < $1.number }
                precondition(head?.number == Self.length - 1)
                Chains.freed = 0
                store.dissolveAllRelationships()
                precondition(Chains.freed == Self.length - 1)
                withExtendedLifetime(head) {}
            }
        }
    }

    // MARK: What is freed, and when

    @Test func whatSomebodyElseHoldsStays() {
        let (first, second) = (Chains.Link(), Chains.Link())
        var head: Chains.Link? = Chains.Link()
        head?.next = first
        first.next = second
        weak let seen = head
        head = nil
        #expect(seen == nil)
        #expect(first.next === second)
    }

    @Test func whatIsNotOwnedIsNotReleased() {
        var other: Chains.Written? = Chains.Written()
        weak let seenOther = other
        var holder: Chains.Manifold? = Chains.Manifold()
        holder?.weakOne = other
        holder?.unownedOne = other
        holder?.unsafeOne = other
        weak let seenLink = holder?.constant
        #expect(seenLink != nil)
        holder = nil
        #expect(seenLink == nil)
        #expect(isKnownUniquelyReferenced(&other))
        other = nil
        #expect(seenOther == nil)
    }

    @Test func aListThatIsSharedStays() {
        let (one, two) = (Chains.Listed(), Chains.Listed())
        let list = [one, two]
        var holder: Chains.Listed? = Chains.Listed()
        holder?.rest = list
        weak let seen = holder
        holder = nil
        #expect(seen == nil)
        #expect(list[0] === one && list[1] === two)
    }

    // MARK: Doing it

    private static func expectFreed<Element: StoredObject>(
        _ type: Element.Type, each: Int = 1, _ link: @escaping (Element, Element) -> Void
    ) {
        onSmallStack {
            // The first edit of a class finds out what it declares, by an object of its own.
            link(Element(), Element())
            Chains.freed = 0
            var head: Element? = nil
            for _ in 0..<length {
                let next = Element()
                if let head { link(next, head) }
                head = next
            }
            precondition(Chains.freed == 0)
            head = nil
            precondition(Chains.freed == each * length, "\(type): \(Chains.freed)")
        }
    }

    private static func insertLinks(_ store: Store) throws {
        var last: Chains.Link?
        for number in 0..<length {
            let link = Chains.Link()
            link.number = number
            link.next = last
            store.insert(link)
            last = link
        }
    }

    private static func onSmallStack(_ body: @escaping () throws -> Void) {
        nonisolated(unsafe) let body = body
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try body() } catch { preconditionFailure("\(error)") }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
    }
}
