import Cabinet
import Foundation

// History: what it adds to saves, and what it takes to look back. `--objects N` (1,000,000) for saves,
// medians of `--runs N` (5), in `--directory D`, `--only writing`, `past`, `object` or `steps`.

let runs = argument("--runs").flatMap(Int.init) ?? 5
let directory = argument("--directory") ?? "/var/tmp"
let looking = Looking(directory: directory, runs: runs)

for name in argument("--only").map({ [$0] }) ?? ["writing", "past", "object", "steps"] {
    switch name {
    case "writing":
        let count = argument("--objects").flatMap(Int.init) ?? 1_000_000
        try await Writing(directory: directory, runs: runs, count: count).run()
    case "past": try await looking.measurePast()
    case "object": try await looking.measureObject()
    case "steps":
        try await Writing(directory: directory, runs: runs, count: 0).measureKeptSteps()
    default: fatalError("--only writing, past, object or steps")
    }
}
