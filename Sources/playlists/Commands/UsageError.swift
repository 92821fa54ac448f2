/// Why a command line was not understood. Nothing was done.
struct UsageError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
