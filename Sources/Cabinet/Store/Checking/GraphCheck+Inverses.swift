import CabinetBackend

// Both sides of a relationship with an inverse must agree if both records were written while the
// pair was maintained. Other records are completed when they are read.

extension GraphCheck {
    /// How many references are kept at a time to be compared: some 16 MiB of them.
    private static let linkLimit = 1 << 18

    /// A reference whose target seems not to lead back.
    private struct OneSided: Hashable, Comparable {
        let owner: ClassRow
        let side: InversePairs.Side
        let target: RowID

        init(_ side: InversePairs.Side, _ owner: RowID, _ target: RowID) {
            self.owner = ClassRow(classNumber: side.classNumber, row: owner)
            self.side = side
            self.target = target
        }

        static func < (one: OneSided, other: OneSided) -> Bool {
            (one.owner, one.side.field, one.target) < (other.owner, other.side.field, other.target)
        }
    }

    /// The number of the layout that a record bears.
    static func layoutNumber(of record: UnsafeRawBufferPointer) -> UInt16? {
        RecordCodec(versioning: .perInstance).number(of: record)
    }

    /// Adds the references of a record to the sums.
    func noteLinks(
        _ references: [RecordDecoder.FoundReference], _ record: UnsafeRawBufferPointer,
        of owner: ClassRow
    ) {
        guard inverses.concerns(owner.classNumber) else { return }
        let links = inverses.links(
            in: references, of: owner, Self.layoutNumber(of: record), among: rows)
        for (link, isFirst) in links { inverses.add(link, isFirst: isFirst) }
    }

    /// Looks for references whose target does not lead back. Must come after all records.
    ///
    /// Another pass over the records for every 262,144 references among which there are such, until
    /// as many are found as the report keeps.
    func checkInverses() async throws {
        var uneven = inverses.uneven
        while !uneven.isEmpty, report.counts[.oneSided, default: 0] < CheckReport.limit {
            var buckets: Set<Int> = []
            var size = 0
            while let last = uneven.last, size == 0 || size + last.count <= Self.linkLimit {
                buckets.insert(last.bucket)
                size += last.count
                uneven.removeLast()
            }
            let suspects = try await oneSided(in: buckets).inOrder()
            for found in try confirmed(suspects) { add(found) }
        }
    }

    /// The references, of those that belong to `buckets`, that only one side has.
    private func oneSided(in buckets: Set<Int>) async throws -> [OneSided] {
        var sides: [InverseSums.Link: UInt8] = [:]
        for storedClass in decoder.schema.classes where inverses.concerns(storedClass.number) {
            try await walk(storedClass) { row, record in
                do {
                    guard let found = try references(in: record, row, storedClass) else { return }
                    let links = inverses.links(
                        in: found, of: ClassRow(classNumber: storedClass.number, row: row),
                        Self.layoutNumber(of: record), among: rows)
                    for (link, isFirst) in links where buckets.contains(link.bucket) {
                        sides[link, default: 0] |= isFirst ? 1 : 2
                    }
                } catch is StoreError {}
            }
        }
        return sides.compactMap { link, seen in
            let first = inverses.pairs.sides[link.side]
            switch seen {
            case 1: return OneSided(first, link.first, link.second)
            case 2: return OneSided(first.opposite, link.second, link.first)
            default: return nil
            }
        }
    }

    /// Those of `suspects` that are wrong when both records are looked at again, no more than the
    /// report keeps.
    private func confirmed(_ suspects: [OneSided]) throws -> [OneSided] {
        // A program that does not know a pair may begin to save meanwhile, and the catalog says so.
        for _ in 0..<3 {
            let pairs = try InversePairs(backend)
            var wrong: [OneSided] = []
            for suspect in suspects where wrong.count < CheckReport.limit {
                if try isWrong(suspect, pairs) { wrong.append(suspect) }
            }
            if wrong.isEmpty { return [] }
            if try InversePairs(backend) == pairs { return wrong }
        }
        return []
    }

    private func isWrong(_ suspect: OneSided, _ pairs: InversePairs) throws -> Bool {
        let (owner, side) = (suspect.owner, suspect.side)
        guard let storedClass = decoder.schema[owner.classNumber],
            let other = decoder.schema[side.target]
        else { return false }
        let look = SteadyLook(backend: backend, table: storedClass.table, row: owner.row)
        let isWrong = try look.twice { record in
            guard let record,
                try has(side, to: suspect.target, record, owner.row, storedClass, pairs) == true
            else { return false }
            let target = DataBuffer()
            guard try backend.value(of: suspect.target, in: other.table, into: target) else {
                return false
            }
            return try target.withUnsafeBytes {
                try has(side.opposite, to: owner.row, $0, suspect.target, other, pairs) == false
            }
        }
        return isWrong == true
    }

    /// Whether `record` refers to `target` by `side`; `nil` if it need not know the side or cannot
    /// be read.
    private func has(
        _ side: InversePairs.Side, to target: RowID, _ record: UnsafeRawBufferPointer,
        _ row: RowID, _ storedClass: StoreSchema.Class, _ pairs: InversePairs
    ) throws -> Bool? {
        let kept = pairs.kept(Self.layoutNumber(of: record), of: side.classNumber)
        guard let index = pairs.index(of: side), kept.contains(index) else { return nil }
        if let known = recentTargets.first(where: {
            $0.row == row && $0.side == side && record.elementsEqual($0.record)
        }) {
            return known.targets.contains(target)
        }
        do {
            guard let found = try references(in: record, row, storedClass) else { return nil }
            let targets = found.lazy.filter {
                $0.field == side.field && $0.target.classNumber == side.target
            }.map(\.target.row)
            if recentTargets.count == 2 { recentTargets.removeFirst() }
            recentTargets.append(
                RecentTargets(side: side, row: row, record: [UInt8](record), targets: Set(targets)))
            return recentTargets.last?.targets.contains(target)
        } catch is StoreError { return nil }
    }

    /// What a record refers to by one side: many suspects may be about one long list, which is
    /// looked at for each of them.
    struct RecentTargets {
        let side: InversePairs.Side
        let row: RowID
        let record: [UInt8]
        let targets: Set<RowID>
    }

    private func add(_ found: OneSided) {
        let target = decoder.schema[found.side.target]
        report.add(
            CheckFinding(
                .oneSided, className: decoder.schema[found.owner.classNumber]?.name,
                row: found.owner.row, field: found.side.field,
                target: FieldValue.Reference(
                    className: target?.name, classNumber: found.side.target, row: found.target),
                reason: "its '\(found.side.inverse)' does not lead back"))
    }
}
