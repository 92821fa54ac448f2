/// How a reader waits for what is to come of a live query.
struct LiveWalk {
    private let query: LiveQuery
    private let reader = LiveReader()
    private var wakes: AsyncStream<Void>.Iterator
    private var hasEnded = false

    init(_ query: LiveQuery) {
        self.query = query
        wakes = reader.wakes.makeAsyncIterator()
        query.add(reader)
    }

    /// What `take` finds, as soon as it finds something; `nil` once the store is closed or the task is
    /// cancelled.
    /// - Throws: why the query cannot be kept up to date. The walk has ended then.
    mutating func next<Found>(
        isolation: isolated (any Actor)?, _ take: (LiveReader) throws -> Found?
    ) async throws -> Found? {
        while !hasEnded {
            query.bringUpToDate()
            if let failure = reader.failure ?? query.failure {
                hasEnded = true
                throw failure
            }
            if query.hasEnded { break }
            do {
                if let found = try take(reader) { return found }
            } catch {
                hasEnded = true
                throw error
            }
            guard await wakes.next(isolation: isolation) != nil else { break }
        }
        return nil
    }
}
