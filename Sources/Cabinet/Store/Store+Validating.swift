import CabinetBackend

extension Store {
    /// Passes of validation after which a save gives up: one pass that changes nothing is enough.
    private static let validationPasses = 10

    /// Validates every inserted or changed object and its owners, while that changes objects.
    /// - Throws: ``StoreError/invalid(_:)``, ``StoreError/validationUnstable(classes:)``, and what
    ///   validation changed is taken back.
    func validateChanges() throws {
        validated = nil
        // Another store that is opened from here on may commit before this one does.
        let isAlone = !slot.isShared
        try step {
            var pass = ValidationPass()
            for number in 1...Self.validationPasses {
                pass = ValidationPass(findsUnstable: number == Self.validationPasses)
                if try !hasChanged(by: &pass) {
                    if isIsolated, !pass.withParts.isEmpty {
                        validated = ValidatedOwners(pass.withParts, isAlone: isAlone)
                    }
                    return
                }
            }
            throw StoreError.validationUnstable(classes: pass.unstable.inOrder())
        }
        lists.bringAllBack()
    }

    /// Validates all pending objects and their owners. `true` if that changed any.
    private func hasChanged(by pass: inout ValidationPass) throws -> Bool {
        var hasChanged = false
        // In a step of its own, each object that validation changes is noted again.
        try step {
            let pending = changes.objects
            for object in pending where isToBeValidated(object) {
                try validate(object, in: &pass)
            }
            for owner in owners(of: pending) where !isToBeValidated(owner) {
                try validate(owner, in: &pass)
            }
            if !pass.failures.isEmpty { throw StoreError.invalid(pass.failures) }
            hasChanged = endsWithChanges()
        }
        return hasChanged
    }

    private func isToBeValidated(_ object: StoredObject) -> Bool {
        !object.state.isDisjoint(with: [.inserted, .updated])
            && object.state.isDisjoint(with: [.deleted, .fault, .unreadable])
    }

    private func endsWithChanges() -> Bool {
        reconcileEdits()
        guard let log = changes.openLogs.last else { return false }
        log.removeEmptyEdits()
        return !log.isEmpty
    }

    private func validate(_ object: StoredObject, in pass: inout ValidationPass) throws {
        guard let storedClass = object.storedClass, storedClass.validates else { return }
        do {
            if object.state.contains(.unreadable) {
                throw storedClass.fetchErrors[object.rowID]
                    ?? StoreError.contentNotRead(class: storedClass.name, row: object.rowID)
            }
            if storedClass.hasParts { pass.withParts.append(object) }
            guard pass.findsUnstable else { return try object.validate() }
            try step {
                try object.validate()
                if endsWithChanges() { pass.unstable.insert(storedClass.name) }
            }
        } catch {
            pass.failures.append(
                InvalidObject(className: storedClass.name, rowID: object.rowID, error: error))
        }
    }
}

private struct ValidationPass {
    var failures: [InvalidObject] = []
    /// The objects that were validated and that may have parts.
    var withParts: [StoredObject] = []
    /// Whether to find out which objects change something.
    var findsUnstable = false
    var unstable: Set<String> = []
}

extension InvalidObject {
    /// The object, while it is in the memory of `store`; `nil` otherwise. A pending object is there
    /// until it is saved or rolled back.
    public func object(in store: Store) -> StoredObject? {
        store.classes.first { $0.name == className }?.existing(rowID)
    }
}
