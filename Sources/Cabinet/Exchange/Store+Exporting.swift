import CabinetBackend
import Foundation

extension Store {
    func exportJSON(
        _ types: [StoredObject.Type], to url: URL, progress: Progress?
    ) throws -> Int {
        try checkOpen()
        reconcileEdits()
        var storedClasses: [StoredClass] = []
        for type in types {
            let storedClass = try registered(type)
            try checkExport(of: storedClass)
            if !storedClasses.contains(where: { $0 === storedClass }) {
                storedClasses.append(storedClass)
            }
        }
        progress?.totalUnitCount = Int64(
            try storedClasses.reduce(0) { try $0 + reader.count(of: $1.table) + $1.pendingInserts }
        )
        let export = try JSONExport(self, url, progress)
        for storedClass in storedClasses {
            for row in try rowsInOrder(of: storedClass) {
                guard let object = try object(of: storedClass, row) else { continue }
                reconcileEdits()
                try export.write(object, of: storedClass)
            }
        }
        return try export.finish()
    }

    /// The rows of all objects of a class, pending ones too.
    private func rowsInOrder(of storedClass: StoredClass) throws -> [RowID] {
        var rows = overlay.inserted(of: storedClass).map(\.rowID)
        let run = RecordRun()
        let cursor = try readerForWalk().records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, _) = run.next() { rows.append(row) }
        }
        return rows.sorted()
    }

    func exportJSON(
        from objects: [StoredObject], to url: URL, progress: Progress?
    ) throws -> Int {
        try checkOpen()
        reconcileEdits()
        var reached = ReachedRows()
        for object in objects where !object.isDeleted {
            reached.add(object, of: try storedClass(of: object))
        }
        let export = try JSONExport(self, url, progress)
        while let next = reached.takeNext() {
            let storedClass = try registered(number: next.number)
            try checkExport(of: storedClass)
            guard let object = try object(of: storedClass, next.row) else { continue }
            reconcileEdits()
            for relation in storedClass.fields.relations {
                for other in object.objects(in: relation) where !other.state.contains(.deleted) {
                    reached.add(other, of: try self.storedClass(of: other))
                }
            }
            progress?.totalUnitCount = Int64(reached.count)
            try export.write(object, of: storedClass)
        }
        return try export.finish()
    }

    /// Throws if a class has content that is not in its fields.
    private func checkExport(of storedClass: StoredClass) throws {
        // A class without any content is no problem.
        if storedClass.isDeclared || AutomaticContentProbe.isWritten(by: storedClass.type.init()) {
            return
        }
        throw StoreError.cannotExport(
            class: storedClass.name, reason: "it writes its content by hand")
    }
}

/// Rows that were reached by relationships, each once, and those that are still to be looked at.
private struct ReachedRows {
    private var known: [UInt8: RowSet] = [:]
    private var reached: [(number: UInt8, row: RowID)] = []
    private var next = 0
    var count: Int { reached.count }

    mutating func add(_ object: StoredObject, of storedClass: StoredClass) {
        guard known[storedClass.number, default: RowSet()].insert(object.rowID) else { return }
        reached.append((storedClass.number, object.rowID))
    }

    mutating func takeNext() -> (number: UInt8, row: RowID)? {
        guard next < reached.count else { return nil }
        defer { next += 1 }
        return reached[next]
    }
}
