import Foundation

/// A `Progress` that shows itself as a bar.
///
/// `@unchecked Sendable`, as its superclass is: it is made, moved and cleared by the one thread
/// that does the work, and nobody else is given it.
final class ShownProgress: Progress, @unchecked Sendable {
    private var bar: ProgressBar

    init(_ bar: ProgressBar) {
        self.bar = bar
        super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
        didSet { bar.update(Int(completedUnitCount), of: Int(totalUnitCount)) }
    }

    /// Takes the bar away.
    func clear() { bar.clear() }
}
