import Foundation

/// Where the shell's lines come from.
struct LineInput {
    /// Whether a person types them, who may try again after a mistake.
    let isInteractive: Bool
    /// Shows `prompt` to a person, and gives the next line without its end, `nil` at the end.
    /// `complete` says what the line up to the cursor may become.
    let next: (_ prompt: String, _ complete: @escaping (String) -> [String]) -> String?

    /// The process's standard input. A terminal has history and completion if the package was built
    /// with the trait `LineEditing`.
    static func standard(_ console: Console) -> LineInput {
        guard isatty(STDIN_FILENO) == 1 else {
            return LineInput(isInteractive: false) { _, _ in readLine() }
        }
        #if LineEditing
            if isatty(STDERR_FILENO) == 1 {
                let editor = LineEditor(console)
                return LineInput(isInteractive: true, next: editor.line)
            }
        #endif
        return LineInput(isInteractive: true) { prompt, _ in
            console.write(prompt, to: .messages)
            return readLine()
        }
    }
}
