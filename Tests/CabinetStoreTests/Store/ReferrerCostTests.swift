import Cabinet
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

/// A save keeps nothing for each object that refers to a tracked class: the table's keys are
/// written with the object's record.
@Suite(.enabled(if: Allocations.canBeCounted, "allocations cannot be counted here"))
struct ReferrerCostTests {
    final class Target: StoredObject {
        @Field var number = 0
        override class var tracksReferrers: Bool { true }
    }
    final class Owner: StoredObject {
        @Field var number = 0
        @One var target: Target?
    }

    /// A set of what each object refers to, kept until the commit, is a block at least.
    @Test func newOwnersTakeNoBlockEach() throws {
        #if DEBUG
            let limit = 45.0
        #else
            let limit = 0.2
        #endif
        #expect(try blocksPerOwner { _ in } < limit)
    }

    /// A run of its own for each look at the table is 3 blocks, one of them of 260 KiB.
    @Test func changedOwnersShareOneRun() throws {
        #if DEBUG
            let limit = 85.0
        #else
            let limit = 14.0
        #endif
        let blocks = try blocksPerOwner { store in
            try store.save()
            for owner in try store.objects(of: Owner.self) { owner.number += 1 }
        }
        #expect(blocks < limit)
    }

    /// How many blocks of memory a save takes for each owner beyond the first thousand.
    private func blocksPerOwner(_ prepare: (Store) throws -> Void) throws -> Double {
        var counts: [Int] = []
        for count in [1000, 3000] {
            let store = try Store(inMemory: [Target.self, Owner.self])
            let target = Target()
            store.insert(target)
            var owners: [Owner] = []
            for _ in 0..<count {
                let owner = Owner()
                owner.target = target
                store.insert(owner)
                owners.append(owner)
            }
            try prepare(store)
            counts.append(try Allocations.count { try store.save() })
            #expect(try store.referrers(of: target).count == count)
            withExtendedLifetime(owners) {}
        }
        return Double(counts[1] - counts[0]) / 2000
    }
}
