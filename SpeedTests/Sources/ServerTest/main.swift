import Foundation

// A store over PostgreSQL, beside libpq called from C: see README.md. Medians of `--runs N` (5).

/// The value behind `name` on the command line.
func argument(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else {
        return nil
    }
    return arguments[place + 1]
}

let runs = argument("--runs").flatMap(Int.init) ?? 5
let objects = argument("--objects").flatMap(Int.init) ?? 1_000_000
let socketDirectory = argument("--server") ?? "/var/run/postgresql"
let user = argument("--user") ?? "postgres"
let database = argument("--database") ?? "postgres"

#if PostgreSQL
    let parts = [
        "rows": measureRows, "saves": measureSaves, "delay": measureDelay,
        "followers": measureFollowers, "follow": follow,
    ]
    let all = ["rows", "saves", "delay", "followers"]
    for name in argument("--only").map({ [$0] }) ?? all {
        guard let part = parts[name] else { fatalError("--only rows, saves, delay or followers") }
        try part()
    }
#else
    print("ServerTest needs the trait: swift run -c release --traits PostgreSQL ServerTest")
#endif
