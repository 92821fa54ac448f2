import CabinetBackend

/// Where a walk in the order of an index begins.
struct OrderedStart {
    /// In the order of keys.
    var ranges: [KeyRange]
    /// How many of their first rows are left out.
    var toDrop = 0

    /// Behind all keys.
    static var end: OrderedStart { OrderedStart(ranges: []) }
}

extension Store {
    /// Where the walk is behind its first `offset` rows, found by counts.
    /// - Throws: ``OrderedWalk/Unusable``
    func start(of scan: OrderedScan, behind offset: Int) throws -> OrderedStart {
        var left = offset
        var ranges = scan.ranges
        while let range = scan.isDescending ? ranges.last : ranges.first {
            let count = try reading { reader throws(BackendError) in
                try reader.count(of: range, in: scan.table)
            }
            if left < count { break }
            left -= count
            if scan.isDescending { ranges.removeLast() } else { ranges.removeFirst() }
        }
        guard let range = scan.isDescending ? ranges.last : ranges.first else { return .end }
        if left == 0 { return OrderedStart(ranges: ranges) }
        let lower = try rank(range.lower, in: scan.table)
        guard scan.isDescending else {
            guard let key = try key(at: lower + left, in: scan.table) else { return .end }
            ranges[0].lower = key
            return OrderedStart(ranges: ranges)
        }
        let end = try rank(range.upper, orEnd: true, in: scan.table)
        guard let key = try key(at: end - 1 - left, in: scan.table) else { return .end }
        // The walk begins with the rows of that key, of which some may be passed already.
        let value = try value(forKey: key, in: scan.table)
        let group = try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { try Array(OrderedWalk.group(of: key, $0)) }
        }
        let groupEnd = KeyRange(prefix: group).upper
        let passed = end - min(try rank(groupEnd, orEnd: true, in: scan.table), end)
        ranges[ranges.count - 1] = range.intersection(KeyRange(to: groupEnd))
        return OrderedStart(ranges: ranges, toDrop: left - passed)
    }

    /// How many keys stand before `key`: none before no key, or all.
    func rank(
        _ key: [UInt8]?, orEnd isEnd: Bool = false, in table: TableNumber
    ) throws(BackendError) -> Int {
        try reading { reader throws(BackendError) in
            guard let key else { return isEnd ? try reader.count(of: table) : 0 }
            return try reader.rank(of: key, in: table)
        }
    }

    private func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        try reading { reader throws(BackendError) in try reader.key(at: offset, in: table) }
    }

    private func value(forKey key: [UInt8], in table: TableNumber) throws(BackendError) -> [UInt8] {
        let buffer = DataBuffer()
        return try reading { reader throws(BackendError) in
            _ = try reader.value(forKey: key, in: table, into: buffer)
            return buffer.withUnsafeBytes { Array($0) }
        }
    }
}
