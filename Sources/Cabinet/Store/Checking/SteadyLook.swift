import CabinetBackend

/// Looks again at what seems wrong, for a save may have come between two looks.
///
/// A record that is the same before and after a look was the same meanwhile: what the look saw then
/// was so at one moment. An undo can bring the very same bytes back, so it looks twice.
struct SteadyLook {
    let backend: any Backend
    let table: TableNumber
    let row: RowID

    /// How often it begins again when saves come between.
    private static let attempts = 50

    /// What `body` says of the record, both times; `nil` if it is not twice the same, or saves do
    /// not let it look. `body` is given `nil` where there is no record.
    func twice<Outcome: Equatable>(
        _ body: (UnsafeRawBufferPointer?) throws -> Outcome
    ) throws -> Outcome? {
        guard let first = try once(body), let second = try once(body), first == second else {
            return nil
        }
        return first
    }

    private func once<Outcome>(
        _ body: (UnsafeRawBufferPointer?) throws -> Outcome
    ) throws -> Outcome? {
        let (before, after) = (DataBuffer(), DataBuffer())
        for _ in 0..<Self.attempts {
            let isThere = try backend.value(of: row, in: table, into: before)
            let outcome = try before.withUnsafeBytes { try body(isThere ? $0 : nil) }
            guard try backend.value(of: row, in: table, into: after) == isThere else { continue }
            let isSame = before.withUnsafeBytes { one in
                after.withUnsafeBytes { one.elementsEqual($0) }
            }
            if isSame { return outcome }
        }
        return nil
    }
}
