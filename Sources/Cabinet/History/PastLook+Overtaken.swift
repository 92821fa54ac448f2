import CabinetBackend

extension PastLook {
    /// Calls `body` with a look, and again with a new one if commits that it was to read from the feed were
    /// moved into tables meanwhile.
    static func with<Result>(
        _ backend: any Backend, label: String, _ body: (PastLook) throws -> Result
    ) throws -> Result {
        for _ in 0..<8 {
            let look = try PastLook(over: backend, label: label)
            do { return try body(look) } catch BackendError.changesGone(let oldest) {
                guard try look.isOvertaken() else {
                    throw BackendError.changesGone(oldest: oldest)
                }
            }
        }
        return try body(PastLook(over: backend, label: label))
    }

    /// Whether the feed has given up commits that it had when the look began.
    private func isOvertaken() throws(BackendError) -> Bool {
        try Self.oldest(in: backend) > tables?.last ?? oldest
    }
}
