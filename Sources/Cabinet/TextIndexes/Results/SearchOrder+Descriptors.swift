import Foundation

extension SearchOrder {
    /// By Foundation's descriptors, then by row. See ``ObjectOrder/init(_:)``.
    @_disfavoredOverload
    public static func properties(_ descriptors: [SortDescriptor<Object>]) -> Self {
        .properties(descriptors.map { ObjectOrder($0) })
    }
}
