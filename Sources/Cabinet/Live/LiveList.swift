import CabinetBackend

/// The objects of a live list as of one change, in its order.
///
/// A value that shares its memory with the list: taking or keeping one costs nothing, and it stays as
/// it is. Objects are made when they are asked for, as faults, in logarithmic time; one whose record
/// is gone since says so when it is read. Not `Sendable`, as the objects are not.
public struct LiveList<Object: StoredObject>: RandomAccessCollection {
    let store: Store
    let version: ListVersion

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many objects there are.
    public var endIndex: Int { version.count }

    /// The object at an index.
    public subscript(position: Int) -> Object {
        precondition(indices.contains(position), "index out of range of a live list")
        let place = version.window.lowerBound + position
        let number = version.rows[place]
        store.readAhead?.note(ListEdits.object(number)) { count in
            version.numbers(at: place..<Swift.min(place + count, version.window.upperBound))
        }
        return store.listed(number)
    }

    /// The rows of the objects, in their order, without making any.
    public var rowIDs: [RowID] {
        var rows: [RowID] = []
        rows.reserveCapacity(count)
        version.withEach { _, number in rows.append(RowID(UInt32(truncatingIfNeeded: number))) }
        return rows
    }
}

extension Store {
    /// The object of a number in a list, which is of class `Object`: its class and row, below how often
    /// it stands before that.
    fileprivate func listed<Object: StoredObject>(_ number: UInt64) -> Object {
        let classNumber = UInt8(truncatingIfNeeded: number >> 32)
        guard let storedClass = classesByNumber[Int(classNumber)], !storedClass.isReleased else {
            // The store is closed.
            return Object()
        }
        return unsafeDowncast(
            storedClass.object(at: RowID(UInt32(truncatingIfNeeded: number))), to: Object.self)
    }
}
