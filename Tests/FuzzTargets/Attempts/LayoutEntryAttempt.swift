import Cabinet
import CabinetMemory
import TrustSupport

/// A layout's entry in the catalog, and what the catalog keeps for its class besides: each behind
/// its length in two bytes; then a record of the class.
enum LayoutEntryAttempt {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        let layout = take(from: &rest)
        let relations = take(from: &rest)
        let entries = [
            "layout/\(LayoutAttempt.classNumber)/1": layout,
            "relations/\(LayoutAttempt.classNumber)/1": relations,
        ]
        LayoutAttempt.run(entries, rest)
    }

    private static func take(from rest: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard rest.count >= 2 else { return UnsafeRawBufferPointer(rebasing: rest[..<0]) }
        let length = Int(rest[0]) | Int(rest[1]) << 8
        let end = min(2 + length, rest.count)
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[end...]) }
        return UnsafeRawBufferPointer(rebasing: rest[2..<end])
    }
}
