import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Which field of a layout is which of a program's, against a model that knows.
struct FieldClaimsTests {
    private struct Run {
        var openings = 0
        var refusals = 0
    }

    private func declared(_ version: FieldHistory.Version, _ names: [String]) -> [DeclaredName] {
        names.map { name in
            let past = version.fields[name].flatMap { version.past[$0] } ?? []
            return DeclaredName(type: .scalar(.bool), past: past)
        }
    }

    /// Opens a store with some of the versions, in their order, and compares what each reads.
    private func follow(
        _ history: FieldHistory, skipping skip: Int, _ random: inout SeededRandom, _ run: inout Run
    ) -> Bool {
        var layouts: [Layout] = []
        var truth: [UInt16: [Int]] = [:]
        for (number, version) in history.versions.enumerated() {
            if number > 0, random.below(3) < skip { continue }
            run.openings += 1
            let names = version.fields.keys.sorted()
            var list = LayoutList()
            list.layouts = layouts
            guard
                var claims = try? FieldClaims.resolve(
                    declared(version, names), version: 1, of: "Item", in: layouts)
            else {
                run.refusals += 1
                // Those who use every version are never refused.
                return skip > 0
            }
            var free = list.highestIdentity
            for index in claims.indices where claims[index].identities.isEmpty {
                free += 1
                claims[index].identities = [free]
            }
            for layout in layouts {
                for (field, real) in zip(layout.fields ?? [], truth[layout.number] ?? []) {
                    let found = claims.firstIndex { field.isSame(identities: $0.identities) }
                        .flatMap { version.fields[names[$0]] }
                    guard found == (version.fields.values.contains(real) ? real : nil) else {
                        return false
                    }
                }
            }
            let made = Layout(
                number: UInt16(number), version: 1,
                fields: zip(names, claims).map { name, claim in
                    Layout.Field(
                        name: name, type: .scalar(.bool), class: nil, inverses: nil,
                        identities: claim.identities, formerNames: claim.formerNames)
                })
            let reals = names.map { version.fields[$0] ?? 0 }
            if let same = layouts.last(where: { $0.isSame(as: made) }) {
                guard truth[same.number] == reals else { return false }
            } else {
                layouts.append(made)
                truth[made.number] = reals
            }
        }
        return true
    }

    @Test(arguments: [(4, 6), (5, 8), (6, 12)])
    func eachFieldIsFollowedThroughEveryStep(names: Int, count: Int) {
        var run = Run()
        for seed in 1...UInt64(RunSetting.repetitions(2000)) {
            var random = SeededRandom(seed: RunSetting.seed &* 1000 &+ seed)
            let history = FieldHistory(
                names: Array(["a", "b", "c", "d", "e", "f"].prefix(names)), count: count, &random)
            for skip in 0..<3 {
                #expect(
                    follow(history, skipping: skip, &random, &run),
                    "seed \(seed), skipping \(skip): \(history.versions)")
            }
        }
        // Only what names cannot tell is refused.
        #expect(run.refusals * 20 < run.openings, "\(run)")
    }

    /// A name that a field gives up to another one is not passed on by that one, which has it now.
    @Test func aFieldNeedNotNameWhatNoStoreHas() throws {
        func layout(_ fields: (name: String, identity: UInt32, former: [String])...) -> Layout {
            Layout(
                number: 0, version: 1,
                fields: fields.map {
                    Layout.Field(
                        name: $0.name, type: .scalar(.bool), class: nil, inverses: nil,
                        identities: [$0.identity], formerNames: $0.former)
                })
        }
        let saved = layout(("a", 1, ["name"]), ("b", 2, []))
        let names = [["title", "a"], ["a", "b"]]
        let claims = try FieldClaims.resolve(
            names.map { DeclaredName(type: .scalar(.bool), past: $0) }, version: 1, of: "Item",
            in: [saved])
        #expect(claims.map(\.identities) == [[1], [2]])
    }
}
