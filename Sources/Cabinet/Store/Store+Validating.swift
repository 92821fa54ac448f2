import CabinetBackend

extension Store {
    /// Passes of validation after which a save gives up: one pass that changes nothing is enough.
    private static let validationPasses = 10

    /// Has every inserted and changed object validate itself, and again while that changes objects.
    /// - Throws: ``StoreError/invalid(_:)``, ``StoreError/validationUnstable(classes:)``, and what
    ///   validation changed is taken back.
    func validateChanges() throws {
        try step {
            for _ in 0..<Self.validationPasses where try !hasValidPass() { return }
            let classes = classes.filter(\.validates).map(\.name).sorted()
            throw StoreError.validationUnstable(classes: classes)
        }
        lists.bringAllBack()
    }

    /// Validates all pending objects. `true` if that changed any.
    private func hasValidPass() throws -> Bool {
        var hasChanged = false
        // In a step of its own, each object that validation changes is noted again.
        try step {
            var failures: [InvalidObject] = []
            for object in changes.objects {
                guard let storedClass = object.storedClass, storedClass.validates,
                    isToBeValidated(object)
                else {
                    continue
                }
                do { try object.validate() } catch {
                    failures.append(
                        InvalidObject(
                            className: storedClass.name, rowID: object.rowID, error: error))
                }
            }
            if !failures.isEmpty { throw StoreError.invalid(failures) }
            reconcileEdits()
            if let log = changes.openLogs.last {
                log.removeEmptyEdits()
                hasChanged = !log.isEmpty
            }
        }
        return hasChanged
    }

    private func isToBeValidated(_ object: StoredObject) -> Bool {
        !object.state.isDisjoint(with: [.inserted, .updated])
            && object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
    }
}

extension InvalidObject {
    /// The object, while it is in the memory of `store`; `nil` otherwise. A pending object is there
    /// until it is saved or rolled back.
    public func object(in store: Store) -> StoredObject? {
        store.classes.first { $0.name == className }?.existing(rowID)
    }
}
