import CabinetBackend

/// What a query's result follows from: how far its condition and its order look.
struct LiveReach {
    /// Of each class of the query, the fields that decide whether an object is in the result, and where.
    private(set) var fields: [FieldSet] = []
    /// Of each class of the query, what its condition leaves of one field.
    private var limits: [ValueLimit?] = []
    /// Whether they and the object alone decide it, so that an object that has not changed stays
    /// where it is. Otherwise the result is fetched again.
    private(set) var isOfObjectsAlone = true
    /// The classes whose objects decide it.
    private(set) var classes: [StoredClass]
    /// From which targets objects are come to whose place these decide, too.
    private(set) var ways: [Way] = []

    /// The way back from targets of a relationship that a condition asks something of.
    struct Way {
        let target: StoredClass
        /// The fields of a target that are asked.
        let fields: FieldSet
        /// What leads back.
        let inverse: RelationCoder
    }

    init<Object: StoredObject>(
        _ query: ObjectQuery<Object>, _ classes: [StoredClass], in store: Store
    ) throws {
        self.classes = classes
        for storedClass in classes {
            let known = store.fields(of: storedClass)
            var read = FieldSet()
            let condition = try query.criterion.condition(known, in: store)
            add(condition, to: &read, storedClass)
            limits.append(ValueLimit(condition, known))
            for part in query.sortedBy {
                guard let order = part.fieldOrder(known) else {
                    // A property of the program's, or a comparator that looks at the objects.
                    read = .whole
                    isOfObjectsAlone = false
                    continue
                }
                read.insert(order.field)
                if storedClass.isLoose(order.field) { isOfObjectsAlone = false }
            }
            fields.append(read)
        }
        if !isOfObjectsAlone { self.classes = store.reachable(from: classes) }
        for way in ways where !self.classes.contains(where: { $0 === way.target }) {
            self.classes.append(way.target)
        }
    }

    private mutating func add(
        _ condition: Condition, to read: inout FieldSet, _ storedClass: StoredClass
    ) {
        switch condition {
        case .constant: break
        case .all(let parts), .any(let parts):
            for part in parts { add(part, to: &read, storedClass) }
        case .not(let part): add(part, to: &read, storedClass)
        case .test(let test):
            read.insert(test.field.index)
            if test.field.targets?.mayDangle == true { isOfObjectsAlone = false }
        case .expression(let expression):
            if let target = expression.target, let (relation, ways) = ways(target, storedClass) {
                read.insert(relation)
                self.ways += ways
                return
            }
            // What it reads is not known.
            read = .whole
            if expression.mayAskOthers, storedClass.mayReferToObjects { isOfObjectsAlone = false }
            // Rows that were found once may be others later.
            if expression.rows != nil { isOfObjectsAlone = false }
        }
    }
}

extension LiveReach {
    /// For each of ``classes``, which changes concern the query.
    /// - Parameter showsContent: whether the objects are shown, or only counted.
    func interests(showingContent showsContent: Bool) -> [LiveInterest] {
        classes.enumerated().map { index, storedClass in
            guard isOfObjectsAlone else { return LiveInterest() }
            var interest = LiveInterest(fields: FieldSet(), showsContent: false)
            if fields.indices.contains(index) {
                interest = LiveInterest(
                    fields: fields[index], showsContent: showsContent, limit: limits[index])
            }
            for way in ways where way.target === storedClass {
                interest.fields.formUnion(way.fields)
                interest.limit = nil
            }
            return interest
        }
    }

    /// The place of a relationship and the ways back from its targets, if each has one, and is asked for
    /// its own fields alone.
    private func ways(_ target: TargetCondition, _ storedClass: StoredClass) -> (Int, [Way])? {
        guard storedClass.isDeclared, let store = storedClass.context as? Store,
            let place = storedClass.fields.entries.firstIndex(where: { $0.name == target.relation }
            ),
            let relation = storedClass.fields.entries[place].coder as? RelationCoder,
            let targets = try? target.targets(store)
        else { return nil }
        var ways: [Way] = []
        for targetClass in targets {
            guard let inverse = relation.inverse(in: targetClass),
                let condition = target.condition(store.fields(of: targetClass)),
                let fields = condition.ownFields
            else { return nil }
            ways.append(Way(target: targetClass, fields: fields, inverse: inverse))
        }
        return (place, ways)
    }
}

extension Condition {
    /// The declared fields that it asks, if it is known to ask nothing else.
    var ownFields: FieldSet? {
        switch self {
        case .constant: return FieldSet()
        case .not(let part): return part.ownFields
        case .test(let test):
            if test.field.targets?.mayDangle == true { return nil }
            var fields = FieldSet()
            fields.insert(test.field.index)
            return fields
        case .all(let parts), .any(let parts):
            var fields = FieldSet()
            for part in parts {
                guard let own = part.ownFields else { return nil }
                fields.formUnion(own)
            }
            return fields
        case .expression(let expression):
            return expression.mayAskOthers || expression.rows != nil ? nil : .whole
        }
    }
}

extension Condition.Expression {
    /// Whether the answer may be another one although the object has not changed.
    fileprivate var mayAskOthers: Bool {
        needsObject || target != nil || asksTarget
    }
}

extension StoredClass {
    /// Whether its objects may lead to others.
    fileprivate var mayReferToObjects: Bool {
        !isDeclared || !fields.relations.isEmpty
            || fields.entries.contains { $0.coder.type.mayRefer }
    }

    /// Whether a field is a relationship whose target may be gone.
    fileprivate func isLoose(_ field: Int) -> Bool {
        (fields.entries[field].coder as? RelationCoder)?.isLoose == true
    }
}

extension Store {
    /// The classes whose objects may be come to from those of `start`, these included.
    fileprivate func reachable(from start: [StoredClass]) -> [StoredClass] {
        var found = start
        var next = 0
        while next < found.count {
            let storedClass = found[next]
            next += 1
            let isOpen =
                !storedClass.isDeclared
                || storedClass.fields.entries.contains {
                    $0.coder.type.mayRefer && !($0.coder is RelationCoder)
                }
            if isOpen { return classes }
            for relation in storedClass.fields.relations {
                for target in classes
                where relation.accepts(target) && !found.contains(where: { $0 === target }) {
                    found.append(target)
                }
            }
        }
        return found
    }
}
