#if PostgreSQL
    import CLibrary
    import CabinetBackend
    import Dispatch
    import Foundation
    import TrustSupport

    /// Stands before a server: counts ways to it and back, makes them longer, and cuts connections at any byte.
    final class PostgresProxy: Sendable {
        enum Direction: CaseIterable {
            case toServer, toClient
        }

        private struct State {
            /// So many bytes still go that way, and then the connection is cut.
            var left: [Direction: Int] = [:]
            /// What is left after a cut.
            var again: [Direction: Int] = [:]
            var delay: UInt32 = 0
            var refuses = false
            /// Whether the next block to the server waits, while its sender is cut off.
            var holds = false
            var ways = 0
            var bytes: [Direction: Int] = [:]
            var connections = 0
        }

        let directory: String
        private let server: String
        private let listener: Int32
        private let state = Guarded(State())
        private let release = DispatchSemaphore(value: 0)
        private let released = DispatchSemaphore(value: 0)
        private static let name = ".s.PGSQL.5432"

        init(before server: PostgresServer) throws {
            self.server = server.directory + "/" + Self.name
            var template = Array("/tmp/cabinet-px-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
            directory = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let path = directory + "/" + Self.name
            guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 50) == 0
            else { throw POSIXError(.EADDRINUSE) }
            Thread.detachNewThread { [listener, weak self] in
                while true {
                    let client = accept(listener, nil, nil)
                    guard client >= 0, let self else { break }
                    self.serve(client)
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
            try? FileManager.default.removeItem(atPath: directory)
        }

        private static func withAddress(
            _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
            }
        }

        var address: String {
            "postgresql://cabinet@\(directory.replacingOccurrences(of: "/", with: "%2F"))/postgres"
        }

        // MARK: What it does

        /// Cuts the connection by which that many bytes more have gone, once or again and again.
        func cut(after bytes: Int, _ direction: Direction, again: Bool = false) {
            state.withLock { state in
                state.left[direction] = bytes
                if again { state.again = state.left }
            }
        }

        /// Whether the cut has been made.
        var hasCut: Bool { state.withLock { $0.left.isEmpty } }
        func takeBackCuts() { state.withLock { ($0.left, $0.again) = ([:], [:]) } }

        /// In milliseconds, before each block that goes either way.
        func delay(_ milliseconds: UInt32) { state.withLock { $0.delay = milliseconds } }

        /// Cuts the client off that sends next, and keeps what it sends until ``releaseHeld()``.
        func holdNext() { state.withLock { $0.holds = true } }

        /// Sends what was kept, and waits until the server has answered.
        func releaseHeld() {
            release.signal()
            released.wait()
        }

        func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

        /// How many connections were made.
        var connections: Int { state.withLock { $0.connections } }

        /// How many ways to the server and back were taken, those of authentication left out.
        var ways: Int { state.withLock { $0.ways - $0.connections } }

        /// How many ways to the server and back `body` takes, those of authentication left out, and how many
        /// bytes go each way.
        func count(_ body: () throws -> Void) rethrows -> (ways: Int, bytes: [Direction: Int]) {
            let (ways, bytes) = (ways, state.withLock { $0.bytes })
            try body()
            return (
                self.ways - ways, state.withLock { $0.bytes }.merging(bytes, uniquingKeysWith: -)
            )
        }

        // MARK: Connections

        private func serve(_ client: Int32) {
            let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let isRefused = state.withLock { $0.refuses }
            guard !isRefused, Self.withAddress(server, { connect(other, $0, $1) }) == 0 else {
                close(client)
                close(other)
                return
            }
            state.withLock { $0.connections += 1 }
            Thread.detachNewThread { [weak self] in
                Self.forward(client, other, self)
                close(client)
                close(other)
            }
        }

        private static func forward(
            _ client: Int32, _ server: Int32, _ proxy: @autoclosure () -> PostgresProxy?
        ) {
            var room = [UInt8](repeating: 0, count: 1 << 16)
            var latest = Direction.toClient
            while true {
                var ends = [
                    pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: server, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&ends, 2, -1) > 0, let proxy = proxy() else { return }
                for (end, direction) in zip(ends, Direction.allCases) where end.revents != 0 {
                    let isToServer = direction == .toServer
                    let count = read(end.fd, &room, room.count)
                    guard count > 0 else { return }
                    // A farewell is not waited for.
                    let isFarewell = count == 5 && room[0] == UInt8(ascii: "X")
                    let isTurn = isToServer && latest != direction && !isFarewell
                    let goes = proxy.pass(count, direction, isTurn: isTurn)
                    latest = direction
                    if isToServer, proxy.takesHold() {
                        shutdown(client, Int32(SHUT_RDWR))
                        proxy.release.wait()
                        _ = room.withUnsafeBytes { write(server, $0.baseAddress, count) }
                        _ = read(server, &room, room.count)
                        proxy.released.signal()
                        return
                    }
                    var sent = 0
                    while sent < goes {
                        let more = room.withUnsafeBytes {
                            send(
                                isToServer ? server : client, $0.baseAddress.map { $0 + sent },
                                goes - sent, Int32(MSG_NOSIGNAL))
                        }
                        guard more > 0 else { return }
                        sent += more
                    }
                    if goes < count { return }
                }
            }
        }

        private func takesHold() -> Bool {
            state.withLock { state in
                defer { state.holds = false }
                return state.holds
            }
        }

        /// How many of some bytes go on.
        private func pass(_ count: Int, _ direction: Direction, isTurn: Bool) -> Int {
            let delay = state.withLock { $0.delay }
            if delay > 0 { usleep(delay * 1000) }
            return state.withLock { state in
                if isTurn { state.ways += 1 }
                state.bytes[direction, default: 0] += count
                guard let left = state.left[direction] else { return count }
                guard left < count else {
                    state.left[direction] = left - count
                    return count
                }
                state.left = state.again
                return left
            }
        }
    }
#endif
