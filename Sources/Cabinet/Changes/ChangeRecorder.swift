/// Receives every step that can be taken back. Undo is a recorder; while a store has none, it
/// records no step.
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
    /// Objects were changed in a way that is no step: steps that hold contents of them from before
    /// cannot be taken back any more. `nil` for whatever objects there are.
    func didChangeOutsideSteps(_ log: ChangeLog?)
}
