#if PostgreSQL
    import CLibrary
    import CSystem
    import CabinetBackend
    import Dispatch

    /// The connections of one open store. Where the server goes away for a while, as to start anew, they are
    /// made again while patience lasts.
    ///
    /// `Sendable`: idle connections are touched under a lock alone, others by the thread that has taken them.
    final class PostgresPool: Sendable {
        private let place: PostgresStore
        /// In milliseconds.
        private let patience: Int64
        private let process = cabinet_process_number()
        private let lock = Lock()
        private nonisolated(unsafe) var idle: [PostgresConnection] = []
        private nonisolated(unsafe) var isClosed = false

        /// One signal for each connection that may be taken.
        private let free = DispatchSemaphore(value: 0)

        /// So many connections are kept.
        private static let keptCount = 4

        /// - Parameters:
        ///   - limit: how many connections are in use at the same time at most.
        ///   - patience: how long to wait for a server that is not there, in milliseconds; `nil`: as the store does.
        init(_ place: PostgresStore, limit: Int = 1, patience: Int64? = nil) {
            self.place = place
            self.patience = patience ?? place.patience
            // One that begins with them may not be freed while some are taken, as in a process that was forked.
            for _ in 0..<max(limit, 1) { free.signal() }
        }

        /// Keeps a connection that was made elsewhere.
        func adopt(_ connection: PostgresConnection) { lock.withLock { idle.append(connection) } }

        /// Calls `body` with a connection, and again with another one where the first is lost: it must be good
        /// to be called twice.
        func ask<Result>(
            _ body: (PostgresConnection) throws(BackendError) -> Result
        ) throws(BackendError) -> Result {
            var deadline: UInt64?
            while true {
                let connection = try take(&deadline)
                do throws(BackendError) {
                    let result = try body(connection)
                    giveBack(connection)
                    return result
                } catch {
                    let isLost = connection.isLost
                    connection.rollBack()
                    giveBack(connection)
                    guard isLost else { throw error }
                    try wait(&deadline, for: error)
                }
            }
        }

        /// A connection, which the caller gives back. Where all are in use, it waits for one.
        /// - Parameter deadline: when patience ends, set with the first attempt that fails.
        /// - Throws: ``BackendError/busy(path:holder:)`` if none comes back while patience lasts.
        func take(_ deadline: inout UInt64?) throws(BackendError) -> PostgresConnection {
            let patience = DispatchTimeInterval.milliseconds(Int(self.patience))
            guard free.wait(timeout: .now() + patience) == .success else {
                throw .busy(path: place.location, holder: "")
            }
            do throws(BackendError) {
                while true {
                    if let connection = lock.withLock({ idle.popLast() }) { return connection }
                    switch try PostgresConnection.attempt(place.address) {
                    case .made(let connection): return connection
                    case .unreachable(let error): try wait(&deadline, for: error)
                    }
                }
            } catch {
                free.signal()
                throw error
            }
        }

        func giveBack(_ connection: PostgresConnection) {
            defer { free.signal() }
            guard !connection.isLost else {
                connection.close()
                // Those that wait were lost with it, as far as can be told.
                return removeAll(closing: false)
            }
            let isKept = lock.withLock {
                guard !isClosed, idle.count < Self.keptCount else { return false }
                idle.append(connection)
                return true
            }
            if !isKept { connection.close() }
        }

        /// Whether this process has made the connections. One that was forked has copies, by which it must say
        /// nothing.
        var isOwn: Bool { cabinet_process_mark() == process }

        func close() { removeAll(closing: true) }

        private func removeAll(closing: Bool) {
            let connections = lock.withLock {
                defer { idle = [] }
                if closing { isClosed = true }
                return idle
            }
            for connection in connections { connection.close() }
        }

        // MARK: Patience

        /// Waits a little before the next attempt.
        /// - Throws: the error, when patience has ended.
        private func wait(
            _ deadline: inout UInt64?, for error: BackendError
        ) throws(BackendError) {
            let now = Self.now()
            let end = deadline ?? now &+ UInt64(clamping: patience) &* 1_000_000
            deadline = end
            guard now < end else { throw error }
            var time = timespec(tv_sec: 0, tv_nsec: Int.random(in: 20_000_000...80_000_000))
            nanosleep(&time, nil)
        }

        private static func now() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }
#endif
