import TrustSupport

@testable import Cabinet

/// The versions of a class over the years, as a developer may have made them: fields added, removed, brought
/// back, renamed, exchanged, and names given to other fields. Each `was:` lists all former names.
struct FieldHistory {
    struct Version {
        /// Which field has a name.
        var fields: [String: Int] = [:]
        /// All names of each field, the present one first.
        var past: [Int: [String]] = [:]
    }

    private(set) var versions: [Version]
    private var owners: [String: Set<Int>] = [:]
    private var next = 2

    init(names: [String], count: Int, _ random: inout SeededRandom) {
        versions = []
        var now = Version()
        give(names[0], 1, &now)
        versions = [now]
        var tries = 0
        while versions.count < count, tries < 1000 {
            tries += 1
            if change(&now, names, &random) { versions.append(now) }
        }
    }

    private mutating func give(_ name: String, _ field: Int, _ now: inout Version) {
        now.fields[name] = field
        if now.past[field]?.first != name { now.past[field, default: []].insert(name, at: 0) }
        owners[name, default: []].insert(field)
    }

    private func isAlive(_ field: Int, _ now: Version) -> Bool { now.fields.values.contains(field) }

    /// A name that was a removed field's may go to one field that is older than the removal; no names
    /// tell who has it where users skip more.
    private func mayTake(_ name: String, _ field: Int, _ now: Version) -> Bool {
        let others = (owners[name] ?? []).subtracting([field])
        return others.allSatisfy { other in
            isAlive(other, now)
                || others.count == 1
                    && versions.allSatisfy { !isAlive(other, $0) || isAlive(field, $0) }
        }
    }

    private mutating func change(
        _ now: inout Version, _ names: [String], _ random: inout SeededRandom
    ) -> Bool {
        let free = names.filter { now.fields[$0] == nil }
        let used = now.fields.keys.sorted()
        let name = used[random.below(used.count)]
        guard let field = now.fields[name] else { return false }
        let other = free.isEmpty ? nil : free[random.below(free.count)]
        switch random.below(6) {
        case 0:
            guard let other else { return false }
            return add(other, &now)
        case 1:
            let mine = Set(now.past[field] ?? [])
            let isShared = now.fields.values.contains {
                $0 != field && !mine.isDisjoint(with: now.past[$0] ?? [])
            }
            if used.count < 2 || isShared { return false }
            now.fields[name] = nil
        case 2, 3:
            guard let other, mayTake(other, field, now) else { return false }
            now.fields[name] = nil
            give(other, field, &now)
        case 4:
            let second = used[random.below(used.count)]
            guard second != name, let exchanged = now.fields[second] else { return false }
            give(name, exchanged, &now)
            give(second, field, &now)
        default:
            guard let other, mayTake(other, field, now), (owners[name] ?? []).count < 2 else {
                return false
            }
            give(other, field, &now)
            give(name, next, &now)
            next += 1
        }
        return true
    }

    private mutating func add(_ name: String, _ now: inout Version) -> Bool {
        let former = owners[name] ?? []
        if former.allSatisfy({ isAlive($0, now) }) {
            give(name, next, &now)
            next += 1
            return true
        }
        // No names tell a field that comes back from another that had one of them meanwhile.
        guard let field = former.first, let past = now.past[field], past.first == name,
            past.allSatisfy({ owners[$0] == [field] })
        else { return false }
        give(name, field, &now)
        return true
    }
}
