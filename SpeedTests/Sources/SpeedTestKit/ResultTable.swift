/// The results of `compare`, a line a test.
enum ResultTable {
    private static let widths = (name: 26, column: 10)

    static var head: String {
        line(
            "test",
            [
                "objects", "cabinet", "sqlite", "tokyo", "/ sqlite", "/ tokyo", "per unit",
                "cabinet", "sqlite",
            ]) + "\n"
            + line("", ["", "median", "", "", "", "", "cabinet", "peak", "peak"])
    }

    /// `row` holds each engine's summary of `test`.
    static func row(_ test: SpeedTest, _ row: [Summary]) -> String {
        func seconds(_ engine: Engine) -> Double? {
            row.first { $0.engine == engine }?.medianSeconds
        }
        func peak(_ engine: Engine) -> String {
            row.first { $0.engine == engine }.map { Terminal.size($0.peakAnonymousBytes) } ?? ""
        }
        func ratio(to engine: Engine) -> String {
            guard let ours = seconds(.cabinet), let theirs = seconds(engine) else { return "" }
            return Terminal.ratio(ours / theirs)
        }
        let objects = row.first?.objects ?? 0
        let each = seconds(.cabinet).map { $0 / Double(test.units(of: objects)) }
        return line(
            test.name,
            ["\(objects)"]
                + Engine.compared.map { seconds($0).map(Terminal.time) ?? "" }
                + [ratio(to: .sqlite), ratio(to: .tokyo), each.map(Terminal.time) ?? ""]
                + [peak(.cabinet), peak(.sqlite)])
    }

    private static func line(_ name: String, _ columns: [String]) -> String {
        Terminal.padded(name, widths.name, left: true)
            + columns.map { Terminal.padded($0, widths.column) }.joined()
    }
}
