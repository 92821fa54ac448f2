import Foundation

/// What the command line asks for.
struct Options {
    /// How many objects a full share is.
    var objects: Int?
    var runs = 5
    var engine = Engine.cabinet
    /// Where the files are that are the texts of full-text search; `nil` for titles.
    var corpus: String?
    /// Whether an engine was asked for by name.
    var isEngineGiven = false
    /// Where stores are made, on the disk that is to be measured.
    var directory = Options.defaultDirectory
    /// `--json` of a test, which takes no file.
    var printsJSON = false
    var jsonFile: String?
    var chartFile: String?
    /// Names of tests, or of programs; empty for all.
    var only: [String] = []
    /// What a process was started for by another of the same program.
    var errand: Errand?

    enum Errand: String { case prepare, measure }

    /// What a full share is unless `--objects` says otherwise.
    static let usualObjects = 1_000_000

    /// Not the temporary directory, which may be memory.
    private static var defaultDirectory: String {
        FileManager.default.fileExists(atPath: "/var/tmp") ? "/var/tmp" : NSTemporaryDirectory()
    }

    init(_ arguments: some Sequence<String>, jsonTakesFile: Bool) throws {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            func value() throws -> String {
                guard let value = rest.next() else { throw SpeedTestError.badOption(option) }
                return value
            }
            func number() throws -> Int {
                let text = try value().filter { $0 != "_" && $0 != "," }
                guard let number = Int(text), number > 0, number < 1 << 31 else {
                    throw SpeedTestError.badOption("\(option) \(text)")
                }
                return number
            }
            switch option {
            case "--objects": objects = try number()
            case "--runs": runs = try number()
            case "--directory": directory = try value()
            case "--corpus":
                let place = try value()
                corpus = place
                Corpus.use(place)
            case "--json" where jsonTakesFile: jsonFile = try value()
            case "--json": printsJSON = true
            case "--svg" where jsonTakesFile: chartFile = try value()
            case "--only", "--test": only = try value().split(separator: ",").map(String.init)
            case "--engine":
                let name = try value()
                guard let engine = Engine(rawValue: name) else {
                    throw SpeedTestError.badOption("--engine \(name)")
                }
                self.engine = engine
                isEngineGiven = true
            case "--errand": errand = Errand(rawValue: try value())
            default: throw SpeedTestError.badOption(option)
            }
        }
    }

    /// Whether `test` was asked for.
    func includes(_ test: SpeedTest) -> Bool { includes(test.name) }

    /// Whether the test of that name was asked for.
    func includes(_ name: String) -> Bool {
        only.isEmpty || only.contains { name == $0 || name.hasPrefix($0 + ".") }
    }
}
