import CLibrary

/// A program started beside this one, whose output is read line by line.
package final class ChildProcess {
    package enum End: Hashable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    package let process: pid_t
    private let output: Int32
    private var rest: [UInt8] = []
    private var isOver = false

    /// Starts the program at `path`. It prints no backtrace when it dies.
    package init(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChildFailure("pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var environment = [strdup("SWIFT_BACKTRACE=enable=no")] + Self.inherited
        if StoreUnderTest.isSealed { environment.append(strdup("CABINET_SEALED=1")) }
        environment.append(nil)
        defer { for word in words + environment { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, nil, &words, &environment)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw ChildFailure("posix_spawn \(path)", code)
        }
        self.process = process
        output = ends[0]
    }

    /// What sanitizers and the loader need to know.
    private static var inherited: [UnsafeMutablePointer<CChar>?] {
        let names = ["PATH", "HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "TMPDIR"]
        return names.compactMap { (name: String) -> UnsafeMutablePointer<CChar>? in
            RunSetting.text(name).flatMap { strdup("\(name)=\($0)") }
        }
    }

    deinit {
        close(output)
        guard !isOver else { return }
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// The next line without its end; `nil` when there are no more. A line that was begun and not
    /// ended is none.
    package func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: 10) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            rest += piece[..<count]
        }
    }

    package func sendKill() {
        if !isOver { kill(process, SIGKILL) }
    }

    /// Waits for the program's end.
    package func wait() -> End {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isOver = true
        return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }
}

package struct ChildFailure: Error, CustomStringConvertible {
    package let description: String
    init(_ call: String, _ code: Int32) { description = "\(call) failed with \(code)" }
}

/// Finds the programs that were built beside the tests.
package enum BuiltProgram {
    /// The path of the program `name`; `nil` if it was not built.
    package static func path(_ name: String) -> String? {
        var directory = CommandLine.arguments.first ?? ""
        if let link = executablePath { directory = link }
        for _ in 0..<6 {
            guard let slash = directory.lastIndex(of: "/") else { return nil }
            directory = String(directory[..<slash])
            if access(directory + "/" + name, X_OK) == 0 { return directory + "/" + name }
        }
        return nil
    }

    private static var executablePath: String? {
        #if os(Linux)
            var bytes = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &bytes, bytes.count)
            guard count > 0 else { return nil }
            return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
            return nil
        #endif
    }
}

/// Waits about so long, for no result that depends on how long.
func briefPause(_ microseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: microseconds * 1000)
    nanosleep(&time, nil)
}
