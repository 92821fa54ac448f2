/// Live queries whose conditions leave some values of one field.
final class ValueInterests {
    let field: Int
    let probe: FieldProbe?
    private var members: [ObjectIdentifier: LiveMember] = [:]
    private var byNumber: [UInt64: [ObjectIdentifier: LiveMember]] = [:]
    private var intervals = IntervalIndex()

    init(_ field: Int, _ fields: ClassFields) {
        self.field = field
        probe = fields.field(named: fields.names[field]).map { FieldProbe($0) }
    }

    var count: Int { members.count }

    func add(_ member: LiveMember, _ limit: ValueLimit) {
        let key = ObjectIdentifier(member)
        members[key] = member
        switch limit.kind {
        case .values(let numbers):
            for number in numbers { byNumber[number, default: [:]][key] = member }
        case .interval(let range): intervals.insert(range, member)
        }
    }

    func remove(_ member: LiveMember, _ limit: ValueLimit) {
        let key = ObjectIdentifier(member)
        members[key] = nil
        switch limit.kind {
        case .values(let numbers):
            for number in numbers {
                byNumber[number]?[key] = nil
                if byNumber[number]?.isEmpty == true { byNumber[number] = nil }
            }
        case .interval: intervals.noteRemoval()
        }
    }

    /// Calls `body` with each whose values have that number, and perhaps with others.
    func find(_ number: UInt64, _ body: (LiveMember) -> Void) {
        if let members = byNumber[number] { for member in members.values { body(member) } }
        intervals.find(number, body)
    }

    func withEach(_ body: (LiveMember) -> Void) { for member in members.values { body(member) } }
}
