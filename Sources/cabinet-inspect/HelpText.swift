enum HelpText {
    /// All commands, and what the program ends with.
    static var program: [String] {
        let width = InspectCommand.allCases.map(\.rawValue.count).max() ?? 0
        let commands = InspectCommand.allCases.map {
            "  \(Columns.padded($0.rawValue, to: width))  \($0.summary)"
        }
        let statuses = ExitStatus.allCases.map {
            "  \(Columns.padded("\($0.rawValue)", to: 2))  \($0.help)"
        }
        return [
            "Looks into a Cabinet store without its classes. Changes nothing unless asked to.",
            "", "Usage: cabinet-inspect COMMAND … [--json]", "",
            "STORE is a directory; for what shows, for check and for convert also a store file, or its",
            "package, or sqlite:FILE or postgresql://HOST/DATABASE?store=NAME, if the package was built",
            "with the traits SQLite or PostgreSQL.", "",
        ] + commands + ["", "Exit status:"] + statuses
            + ["", "cabinet-inspect COMMAND --help says more about a command."]
    }

    static func lines(for command: InspectCommand) -> [String] {
        let options = command.options + InspectOption.ofAll
        let width = options.map(\.rawValue.count).max() ?? 0
        let synopsis =
            [command.rawValue] + command.operands + command.options.map { "[\($0.rawValue)]" }
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        return ["Usage: cabinet-inspect \(synopsis.joined(separator: " ")) [--json]", "", summary]
            + command.details + [""]
            + options.map { "  \(Columns.padded($0.rawValue, to: width))  \($0.help)" }
    }
}
