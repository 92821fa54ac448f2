/// Receives every step that can be taken back, as undo does; a store without one records none.
protocol ChangeRecorder: AnyObject {
    /// `log` holds the changes of one step, in their order.
    func record(_ log: ChangeLog)
    /// All pending changes are being saved; ``didSave()`` or ``didNotSave()`` follows.
    func willSave()
    /// What was to be saved is pending again.
    func didNotSave()
    /// All pending changes were saved, as of ``willSave()`` if that was called.
    func didSave()
    /// All pending changes were dropped.
    func didRollBack()
    /// What stands for the objects that the steps are about: see ``ChangeLog/Entry/key``.
    var keys: Set<UInt64> { get }
    /// Whether a save is to write steps, also when nothing else is pending.
    var awaitsSave: Bool { get }
    /// Objects were changed otherwise than by a step: steps that hold earlier contents of them
    /// cannot be taken back any more. `nil` for any objects.
    func didChangeOutsideSteps(_ log: ChangeLog?)
}

extension ChangeRecorder {
    var awaitsSave: Bool { false }
}
