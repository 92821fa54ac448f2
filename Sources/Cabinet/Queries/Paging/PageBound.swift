import CabinetBackend

/// The place in the order of a query that a page begins behind.
struct PageBound {
    let classNumber: UInt8
    let row: RowID
    /// Of each class of the query, what the last object is sorted by.
    private let values: [[PagedProperty.Value]]

    /// - Parameter properties: of each class of the query, what it is sorted by.
    /// - Throws: `DataBufferError` for bytes that are no such values.
    init(_ token: PageToken, _ properties: [[PagedProperty]]) throws(DataBufferError) {
        classNumber = token.classNumber
        row = token.row
        var values: [[PagedProperty.Value]] = []
        let buffer = DataBuffer()
        token.values.withUnsafeBytes { buffer.writeRawBytes($0) }
        for part in properties {
            buffer.rewind()
            var found: [PagedProperty.Value] = []
            for property in part { found.append(try property.read(buffer)) }
            guard buffer.remaining == 0 else {
                throw .invalidValue(type: "PageToken", offset: buffer.position)
            }
            values.append(found)
        }
        self.values = values
    }

    /// What the last object is sorted by, for the class at `index` of the query.
    func values(ofClass index: Int) -> [Any] { values[index].map(\.value) }

    /// What an object of the class at `index` of the query must be.
    func condition(_ storedClass: StoredClass, at index: Int) -> Condition {
        let (row, values) = (row, values[index])
        let isLaterClass = storedClass.number > classNumber
        let isSameClass = storedClass.number == classNumber
        return .expression(
            .init(
                text: "behind the page before", needsObject: false,
                filter: ClosureFilter { cursor in
                    for value in values {
                        let order = try value.order(cursor)
                        if order != 0 { return order > 0 }
                    }
                    return isSameClass ? cursor.row > row : isLaterClass
                }))
    }
}

extension Store {
    /// Where the walk in the order of an index goes on behind the last object of a page. If the index has the
    /// first orders of the query alone, that is at the first of the objects that are equal by these.
    /// - Throws: ``OrderedWalk/Unusable`` if the last object has no whole key.
    func start(
        of scan: OrderedScan, behind bound: PageBound, _ order: [FieldOrder]
    ) throws -> OrderedStart {
        var builder = OrderedKeyBuilder()
        try append(bound, order, of: scan, to: &builder)
        let key = builder.key.bytes
        let group = KeyRange(prefix: key)
        let rest = scan.isDescending ? KeyRange(to: group.upper) : KeyRange(from: key)
        let ranges = scan.ranges.map { $0.intersection(rest) }.filter { !$0.isEmpty }
        guard scan.isWhole, !ranges.isEmpty else { return OrderedStart(ranges: ranges) }
        let own = builder.withUnsafeBytes(row: bound.row) { Array($0) } + [0]
        let reader = try readerForWalk()
        /// How many rows of the group are passed: those up to the last one.
        var passed = 0
        for range in scan.ranges {
            let rows = range.intersection(group).intersection(KeyRange(to: own))
            if !rows.isEmpty { passed += try reader.count(of: rows, in: scan.table) }
        }
        // A key that no other row may have is that of one row, of which the key does not tell.
        if passed > 0, let alone = try reader.row(withKey: key, in: scan.table), alone > bound.row {
            passed -= 1
        }
        return OrderedStart(ranges: ranges, toDrop: passed)
    }

    /// Appends the first columns of the key that the last object of a page has.
    private func append(
        _ bound: PageBound, _ order: [FieldOrder], of scan: OrderedScan,
        to builder: inout OrderedKeyBuilder
    ) throws(OrderedWalk.Unusable) {
        let values = bound.values(ofClass: 0)
        for (place, column) in scan.index.plannedColumns[..<scan.columns].enumerated() {
            guard let column else { throw OrderedWalk.Unusable() }
            let value: Any
            if place < scan.equalColumns {
                guard case .equal(let values) = scan.limits[place].kind, let only = values.first
                else { throw OrderedWalk.Unusable() }
                value = only
            } else {
                guard let part = order.firstIndex(where: { $0.field == column.field?.index }) else {
                    throw OrderedWalk.Unusable()
                }
                value = values[part]
            }
            guard column.append(value, &builder), !builder.isCut else {
                throw OrderedWalk.Unusable()
            }
        }
    }
}
