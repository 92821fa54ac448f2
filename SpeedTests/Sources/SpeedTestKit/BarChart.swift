import Foundation

/// The medians as bars, a group for each test, each group on a scale of its own: the slowest
/// engine's bar is as long as there is room.
struct BarChart {
    private struct Group {
        let title: String
        let bars: [Summary]
    }

    private let groups: [Group]

    private let left = 190.0
    private let room = 520.0
    private let barHeight = 14.0
    private let gap = 18.0

    init(_ summaries: [Summary]) {
        var groups: [Group] = []
        for summary in summaries {
            let title = "\(summary.test), \(summary.objects.formatted())"
            if groups.last?.title == title, let last = groups.popLast() {
                groups.append(Group(title: title, bars: last.bars + [summary]))
            } else {
                groups.append(Group(title: title, bars: [summary]))
            }
        }
        self.groups = groups
    }

    /// The chart as an SVG document.
    var svg: String {
        var top = 64.0
        var body = ""
        for group in groups {
            body += text(x: left - 10, y: top + 11, group.title, anchor: "end")
            let longest = group.bars.map(\.medianSeconds).max() ?? 0
            for bar in group.bars {
                let width = longest > 0 ? max(1, bar.medianSeconds / longest * room) : 1
                body += rectangle(x: left, y: top, width: width, color(of: bar.engine))
                body += text(
                    x: left + width + 6, y: top + 11, Terminal.time(bar.medianSeconds),
                    anchor: "start")
                top += barHeight
            }
            top += gap
        }
        let size = "width=\"820\" height=\"\(Int(top))\" viewBox=\"0 0 820 \(Int(top))\""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) font-family="sans-serif" \
            font-size="11">
            <rect width="100%" height="100%" fill="#ffffff"/>
            <text x="20" y="26" font-size="15" fill="#222222">Medians; shorter is better</text>
            \(legend)\(body)</svg>

            """
    }

    private var legend: String {
        var place = left
        return Engine.compared.map { engine in
            defer { place += 110 }
            return rectangle(x: place, y: 38, width: 12, color(of: engine))
                + text(x: place + 18, y: 49, engine.rawValue, anchor: "start")
        }.joined()
    }

    private func color(of engine: Engine) -> String {
        switch engine {
        case .cabinet, .memory, .file, .declared: "#c2451e"
        case .sqlite: "#5b7f95"
        case .tokyo, .plain: "#b9b4a7"
        }
    }

    private func rectangle(x: Double, y: Double, width: Double, _ color: String) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
            + "height=\"\(number(barHeight - 2))\" fill=\"\(color)\"/>\n"
    }

    private func text(x: Double, y: Double, _ text: String, anchor: String) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" "
            + "fill=\"#222222\">\(text)</text>\n"
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
