#if PostgreSQL
    import CLibrary
    import Foundation

    /// A server of PostgreSQL's that the tests of one process start, in a directory of its own, reached by a
    /// socket there. It ends with the process, however that ends.
    package final class PostgresServer: Sendable {
        /// The server of all tests; `nil`: its programs are not installed.
        package static let shared: PostgresServer? = programs.flatMap {
            try? PostgresServer(programs: $0)
        }

        package static var isInstalled: Bool { programs != nil }

        package let directory: String
        /// Ends the server when it is closed.
        private let lifeline = Pipe()
        private let process = Process()

        /// Where the newest server's programs are.
        private static let programs: String? = {
            let found = ProcessInfo.processInfo.environment["POSTGRESQL_PROGRAMS"]
            if let found { return found }
            let place = "/usr/lib/postgresql"
            let versions = try? FileManager.default.contentsOfDirectory(atPath: place)
            let debian = (versions ?? []).compactMap(Int.init).sorted().reversed().map {
                "\(place)/\($0)/bin"
            }
            return (debian + ["/opt/homebrew/bin", "/usr/local/bin"]).first {
                FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
            }
        }()

        /// A proxy that gives each transaction to another of the server's processes; `nil`: there is none.
        private static let proxy = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        package static var hasProxy: Bool { proxy != nil && isInstalled }

        /// The user to be where this process is root, which the server refuses to be.
        private static let user = getpwnam("postgres") == nil ? "nobody" : "postgres"

        /// The shell runs the server until its input ends, by the end of this process too; then the server stops
        /// at once and its directory goes. It does what each line says that it reads. A server that was killed it
        /// starts as often as it takes: a new one does not begin while a process of the former has not noticed its
        /// end.
        private static let script = """
            cd "$1"; as=""
            if [ "$(id -u)" = 0 ]; then
                chown "$3" "$1"; as="setpriv --reuid=$3 --regid=$(id -g "$3") --clear-groups"
            fi
            start() {
                $as "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c max_connections=300 \\
                    -c restart_after_crash=on </dev/null >>log 2>&1 &
                server=$!
            }
            standby() {
                $as mkdir "$1/standby"
                $as "$2/pg_basebackup" -R -c fast --no-sync -h "$1" -U cabinet -D "$1/standby/data"
                first=$server; start "$1/standby" "$2"; second=$server; server=$first
                for text in "ALTER SYSTEM SET synchronous_standby_names = '*'" 'SELECT pg_reload_conf()'; do
                    "$2/psql" -h "$1" -U cabinet -c "$text" postgres
                done
            }
            $as "$2/initdb" -D "$1/data" -A trust -U cabinet --no-sync --locale=C -E UTF8 >log 2>&1
            start "$1" "$2"
            bouncer=
            if [ -x "$4" ]; then
                $as mkdir "$1/pooled"
                printf '"cabinet" ""\\n' >"$1/users"
                printf '%s\\n' '[databases]' "postgres = host=$1 port=5432" '[pgbouncer]' \\
                    'listen_addr =' 'listen_port = 5432' "unix_socket_dir = $1/pooled" \\
                    'auth_type = trust' "auth_file = $1/users" 'pool_mode = transaction' \\
                    'max_client_conn = 500' 'default_pool_size = 8' >"$1/pooled.ini"
                $as "$4" -q "$1/pooled.ini" </dev/null >>log 2>&1 &
                bouncer=$!
            fi
            second=
            while read -r word; do
                case $word in
                standby) standby "$1" "$2" >>log 2>&1; continue ;;
                promote)
                    kill -9 "$server"; wait "$server"
                    $as "$2/pg_ctl" promote -D "$1/standby/data" >>log 2>&1
                    server=$second
                    continue ;;
                esac
                kill -9 "$server"; wait "$server"
                for try in $(seq 300); do
                    start "$1" "$2"
                    until "$2/pg_isready" -q -U cabinet -h "$1"; do
                        kill -0 "$server" 2>/dev/null || break
                        sleep 0.1
                    done
                    kill -0 "$server" 2>/dev/null && break
                    sleep 0.1
                done
            done 2>/dev/null
            [ -z "$bouncer" ] || kill -INT "$bouncer" 2>/dev/null
            kill -QUIT "$server" $second 2>/dev/null; wait "$server" $second; rm -rf "$1"
            """

        /// Kills the server, and starts it anew.
        package func kill() throws { try say("kill") }

        /// Gives the server a standby, which is synchronous once it has caught up.
        package func addStandby() throws { try say("standby") }

        /// Kills the server for good, and has the standby take its place, at ``addressOfBoth``.
        package func promoteStandby() throws { try say("promote") }

        private func say(_ word: String) throws {
            try lifeline.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
        }

        /// Another server than that of all tests.
        package static func another() throws -> PostgresServer? {
            try programs.map { try PostgresServer(programs: $0) }
        }

        private init(programs: String) throws {
            // In /tmp, as paths of sockets must be short.
            var template = Array("/tmp/cabinet-pg-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
            directory = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = [
                "-c", Self.script, "server", directory, programs, Self.user, Self.proxy ?? "",
            ]
            process.standardInput = lifeline
            // Whoever reads what the tests print does not wait for the server's end.
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let ready = Process()
            ready.executableURL = URL(filePath: "/bin/sh")
            ready.arguments = [
                "-c",
                "for try in $(seq 600); do \"$1/pg_isready\" -q -U cabinet -h \"$2\" && exit; "
                    + "sleep 0.1; done; exit 1",
                "ready", programs, directory,
            ]
            try ready.run()
            ready.waitUntilExit()
            guard ready.terminationStatus == 0 else { throw POSIXError(.ETIMEDOUT) }
        }

        /// Runs SQL by the server's own program, as another client. Gives what it prints.
        @discardableResult
        package func run(_ first: String, _ texts: [String], user: String = "cabinet") throws
            -> [String]
        {
            let psql = Process()
            psql.executableURL = URL(filePath: (Self.programs ?? "") + "/psql")
            psql.arguments =
                ["-XqtA", "-h", directory, "-U", user, "-v", "ON_ERROR_STOP=1", "postgres"]
                + ([first] + texts).flatMap { ["-c", $0] }
            let output = Pipe()
            psql.standardOutput = output
            try psql.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            psql.waitUntilExit()
            guard psql.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
            return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// The address of a new store.
        package func newStore() -> String { address() + "?store=Store-\(UUID().uuidString)" }

        /// The address by which a role reaches it.
        /// - Parameter isPooled: whether through the proxy.
        package func address(user: String = "cabinet", isPooled: Bool = false) -> String {
            "postgresql://\(user)@\(host(isPooled ? "/pooled" : ""))/postgres"
        }

        /// The address of whichever can be written, the server or its standby.
        package var addressOfBoth: String {
            "postgresql://cabinet@\(host("")),\(host("/standby"))/postgres"
                + "?target_session_attrs=read-write"
        }

        private func host(_ place: String) -> String {
            (directory + place).replacingOccurrences(of: "/", with: "%2F")
        }
    }
#endif
