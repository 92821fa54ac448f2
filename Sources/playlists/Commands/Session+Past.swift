import Cabinet
import Dispatch
import Foundation
import Synchronization

extension Session {
    /// Shows what commits have done to a song.
    func history(_ name: String) throws {
        let events = try store.container.history(of: library.song(name))
        for event in events {
            let steps = event.steps.filter { !$0.name.isEmpty }.map {
                ($0.kind == .undone ? "taken back: " : "") + $0.name.printable
            }
            let (change, fields) = Self.lines(of: event.kind)
            let words =
                ["\(event.commit)", event.date.formatted(.iso8601), event.author, change] + steps
            console.print(words.compactMap { $0 }.joined(separator: "  "))
            console.print(fields.map { "    " + $0.printable })
        }
        if events.isEmpty { console.print("Nothing is known of what became of it.") }
    }

    private static func lines(of kind: ObjectEvent<Song>.Kind) -> (String, [String]) {
        switch kind {
        case .inserted: ("is new", [])
        case .written: ("was written", [])
        case .deleted: ("was deleted", [])
        case .changed(let fields):
            ("has changed", fields.map { "\($0.name): \(text($0.old)) -> \(text($0.new))" })
        }
    }

    private static func text(_ value: FieldValue?) -> String {
        guard let value else { return "nothing" }
        return switch value {
        case .none: "nothing"
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .list(let values): counted(values.count, "entry").replacing("entrys", with: "entries")
        default: "\(value)"
        }
    }

    /// Does a command on the library as it was.
    func asOf(_ invocation: Invocation) throws {
        let past = try invocation.ofThePast()
        let (moment, container) = (try Moment(invocation.operands[0]), store.container)
        let text = try Self.waiting {
            let body: @Sendable (Store) throws -> String = { store in
                var text = ""
                let console = Console { _, line in text += line }
                try Session(store, on: console, isShell: true).run(past)
                return text
            }
            return switch moment {
            case .commit(let number): try await container.read(asOf: number, body)
            case .date(let date): try await container.read(asOf: date, body)
            }
        }
        console.write(text, to: .output)
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Commands come one after the other, each when the one before is done.
    private static func waiting<Value: Sendable>(
        for body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let (outcome, end) = (Outcome<Value>(), DispatchSemaphore(value: 0))
        Task.detached(priority: .userInitiated) {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
            end.signal()
        }
        end.wait()
        guard let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}

/// When a library is to be shown.
enum Moment: Sendable {
    case commit(CommitNumber)
    case date(Date)

    /// A commit's number; a day, which is meant to its end; or a time, as ISO 8601 has them.
    init(_ text: String) throws(UsageError) {
        if let number = UInt64(text) {
            self = .commit(CommitNumber(number))
        } else if let date = try? Date(text, strategy: .iso8601) {
            self = .date(date)
        } else if let day = try? Date(text, strategy: .iso8601.year().month().day()) {
            self = .date(day.addingTimeInterval(86_400 - 0.000_001))
        } else {
            throw UsageError("\"\(text)\" is no day, as 2024-03-31, no time and no commit.")
        }
    }
}

extension Invocation {
    /// The command of `asof DATE COMMAND…`, with the options that were given.
    func ofThePast() throws(UsageError) -> Invocation {
        var past = self
        past.operands.removeFirst()
        past.command = try Command(named: past.operands.removeFirst())
        past.options[.store] = nil
        guard let command = past.command, command.readsThePast else {
            throw UsageError("asof shows list, browse, show, top, duplicates or export.")
        }
        try past.check(command, inShell: true)
        return past
    }
}
