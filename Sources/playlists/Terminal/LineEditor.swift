#if LineEditing
    import CEditline
    import Foundation

    /// Reads lines from a terminal with libedit: they can be edited and completed, and earlier ones
    /// come back.
    ///
    /// The last 1,000 lines are kept in `History`, beside the default library, for this user alone.
    final class LineEditor {
        /// Safe although unchecked: libedit calls back within `readline`, in its caller's thread,
        /// and the program reads lines in one thread only.
        private nonisolated(unsafe) static var complete: (String) -> [String] = { _ in [] }

        private let console: Console
        private let path: String
        private var last = ""
        private var isKept = true

        init(_ console: Console) {
            self.console = console
            let directory = Library.directory
            path = directory.appending(path: "History").path
            try? FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            CEditline_prepare { line, _, _ in
                CEditline_completionIsOver()
                return line.flatMap { LineEditor.matches(for: String(cString: $0)) }
            }
            using_history()
            stifle_history(1000)
            read_history(path)
        }

        func line(prompt: String, complete: @escaping (String) -> [String]) -> String? {
            Self.complete = complete
            defer { Self.complete = { _ in [] } }
            guard let bytes = readline(prompt) else { return nil }
            defer { free(bytes) }
            let line = String(cString: bytes)
            if !line.allSatisfy(\.isWhitespace), line != last { keep(line) }
            return line
        }

        /// The history is written after each line: a shell that is killed keeps it.
        private func keep(_ line: String) {
            last = line
            add_history(line)
            // Made here, so that it is readable for the user alone before anything is in it.
            let isThere =
                FileManager.default.fileExists(atPath: path)
                || FileManager.default.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            if isKept, !isThere || write_history(path) != 0 {
                isKept = false
                console.say("The history cannot be kept in \(path).")
            }
        }

        /// What libedit wants: the longest common beginning, then each match, and a null pointer.
        private static func matches(
            for line: String
        ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
            let lines = complete(line)
            guard let first = lines.first else { return nil }
            let common = lines.reduce(first) { $0.commonPrefix(with: $1) }
            let all = [common.count < line.count ? line : common] + lines
            let size = (all.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
            guard let memory = malloc(size) else { return nil }
            let matches = memory.bindMemory(
                to: UnsafeMutablePointer<CChar>?.self, capacity: all.count + 1)
            for (index, text) in all.enumerated() { matches[index] = strdup(text) }
            matches[all.count] = nil
            return matches
        }
    }
#endif
