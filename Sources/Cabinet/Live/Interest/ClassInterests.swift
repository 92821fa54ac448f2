import CabinetBackend

/// A live query among those that follow from one class.
final class LiveMember {
    private(set) weak var query: LiveQuery?
    let storedClass: StoredClass
    let interest: LiveInterest
    /// Whether a change since the last telling concerns it.
    fileprivate(set) var isConcerned = false
    fileprivate(set) var isRemoved = false

    init(_ query: LiveQuery, _ storedClass: StoredClass, _ interest: LiveInterest) {
        (self.query, self.storedClass, self.interest) = (query, storedClass, interest)
    }
}

/// The live queries that follow from one class, by what they look at: a change costs what it concerns, and
/// not how many there are.
final class ClassInterests {
    private typealias Members = [ObjectIdentifier: LiveMember]

    private let storedClass: StoredClass
    private unowned let store: Store
    /// Told of every change.
    private var always: Members = [:]
    /// Those that show no content, and the same by each field that decides.
    private var counting: Members = [:]
    private var byField: [Int: Members] = [:]
    /// Those whose condition leaves some values of a field, by that.
    private var byValue: [Int: ValueInterests] = [:]
    private var concerned: [LiveMember] = []
    /// How many records were compared since the last telling; it is not worth while to compare many.
    private var compared = 0
    /// Whether any of ``byValue`` may be concerned.
    private var isUnclear = false
    private(set) var count = 0
    private let buffer = DataBuffer(capacity: 16)

    init(_ store: Store, _ storedClass: StoredClass) {
        (self.store, self.storedClass) = (store, storedClass)
    }

    // MARK: Members

    func add(_ member: LiveMember) {
        count += 1
        let key = ObjectIdentifier(member)
        if let limit = member.interest.limit {
            let known =
                byValue[limit.field] ?? ValueInterests(limit.field, store.fields(of: storedClass))
            byValue[limit.field] = known
            known.add(member, limit)
        } else if let fields = deciding(member) {
            counting[key] = member
            for field in fields { byField[field, default: [:]][key] = member }
        } else {
            always[key] = member
        }
    }

    func remove(_ member: LiveMember) {
        count -= 1
        member.isRemoved = true
        let key = ObjectIdentifier(member)
        if let limit = member.interest.limit {
            byValue[limit.field]?.remove(member, limit)
            if byValue[limit.field]?.count == 0 { byValue[limit.field] = nil }
        } else if let fields = deciding(member) {
            counting[key] = nil
            for field in fields {
                byField[field]?[key] = nil
                if byField[field]?.isEmpty == true { byField[field] = nil }
            }
        } else {
            always[key] = nil
        }
    }

    /// The fields of one that any other field does not concern; `nil` if each may.
    private func deciding(_ member: LiveMember) -> [Int]? {
        let interest = member.interest
        guard storedClass.isDeclared, !interest.showsContent, !interest.fields.isWhole else {
            return nil
        }
        return storedClass.fields.entries.indices.filter(interest.fields.contains)
    }

    // MARK: Changes

    /// Whether records are wanted of what changes.
    var comparesRecords: Bool { !byValue.isEmpty }

    /// A commit makes `record` of `former`; `nil` for none.
    func note(
        from former: UnsafeRawBufferPointer?, to record: UnsafeRawBufferPointer?, _ fields: FieldSet
    ) {
        guard !byValue.isEmpty, !isUnclear, !fields.isEmpty else { return }
        compared += 1
        if former == nil && record == nil || compared > 64 + 4 * count {
            isUnclear = true
            return
        }
        for interests in byValue.values {
            let isSame = former != nil && record != nil && !fields.contains(interests.field)
            for bytes in [former, isSame ? nil : record] {
                guard let bytes else { continue }
                guard let number = number(of: interests, in: bytes) else {
                    isUnclear = true
                    return
                }
                interests.find(number) {
                    if $0.interest.isConcerned(by: fields) { add(concerned: $0) }
                }
            }
        }
    }

    private func add(concerned member: LiveMember) {
        if member.isConcerned { return }
        member.isConcerned = true
        concerned.append(member)
    }

    /// The number of a field in a record; `nil` for one of another layout, or that is not as it should be.
    private func number(
        of interests: ValueInterests, in record: UnsafeRawBufferPointer
    ) -> UInt64? {
        guard var start = store.codec.contentOffset(of: record, in: storedClass),
            let base = record.baseAddress
        else { return nil }
        let shape = store.fields(of: storedClass).shape
        for field in 0..<interests.field {
            guard let end = shape.end(of: field, from: start, in: base, record.count) else {
                return nil
            }
            start = end
        }
        buffer.borrow(record)
        buffer.move(to: start)
        return interests.probe?.number(in: buffer)
    }

    /// Calls `body` with each query that changes of these fields may concern, and forgets what was noted.
    func tell(_ changed: FieldSet, _ body: (LiveQuery) -> Void) {
        func tell(_ member: LiveMember) { if let query = member.query { body(query) } }
        for member in always.values { tell(member) }
        if changed.isWhole {
            for member in counting.values { tell(member) }
        } else {
            for (field, members) in byField where changed.contains(field) {
                for member in members.values { tell(member) }
            }
        }
        if isUnclear {
            for interests in byValue.values { interests.withEach(tell) }
        } else {
            for member in concerned { tell(member) }
        }
        forget()
    }

    func withEach(_ body: (LiveQuery) -> Void) {
        func tell(_ member: LiveMember) { if let query = member.query { body(query) } }
        for member in always.values { tell(member) }
        for member in counting.values { tell(member) }
        for interests in byValue.values { interests.withEach(tell) }
        forget()
    }

    private func forget() {
        for member in concerned { member.isConcerned = false }
        (concerned, isUnclear, compared) = ([], false, 0)
    }
}
