import CabinetBackend

extension Store {
    /// Runs `body`, which may save. If it throws, the store is as before: its changes are taken
    /// back, and what was pending is pending again. It is no step of undo, and all steps are
    /// forgotten after it.
    func takingBackOnError(_ body: () throws -> Void) throws {
        try keepingNotes { try takingBackObjects(body) }
    }

    private func takingBackObjects(_ body: () throws -> Void) throws {
        reconcileEdits()
        lists.bringAllBack()
        let recorder = changes.recorder
        changes.recorder = nil
        defer { changes.recorder = recorder }
        if hasChanges || refusal != nil {
            try inLog(body)
        } else {
            // No earlier contents are kept: all that is pending after an error is of `body`.
            do {
                busyCalls += 1
                defer { busyCalls -= 1 }
                try body()
            } catch {
                rollback()
                throw error
            }
        }
        recorder?.didChangeOutsideSteps(nil)
    }

    private func inLog(_ body: () throws -> Void) throws {
        let formerRefusal = refusal
        let formerNames = pendingNames.copy()
        let log = changes.openLog()
        do {
            try body()
            changes.closeLog(keeping: false)
        } catch {
            let contents = takeBack(log)
            pendingNames.replace(by: formerNames)
            refusal = formerRefusal
            tell(contents)
            tellDelegate { $0.storeDidChange(self) }
            throw error
        }
    }
}
