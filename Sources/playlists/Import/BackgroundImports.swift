import Cabinet
import Foundation

/// Imports beside the shell, on a store of their own: each saved whole or not, one at a time.
///
/// `Sendable`, because the queue orders all accesses to its state.
final class BackgroundImports: @unchecked Sendable {
    private let container: StoreContainer
    private let queue = DispatchQueue(label: "playlists.imports")
    private let group = DispatchGroup()
    /// How far each import is that has not ended, by its number.
    private var stages: [Int: String] = [:]
    /// What is to be printed of those that have ended.
    private var reports: [Report] = []
    private var count = 0

    /// How an import ended.
    struct Report: Sendable {
        let lines: [String]
        let isFailure: Bool
    }

    init(_ container: StoreContainer) { self.container = container }

    /// Begins to import the file at `path`.
    ///
    /// - Throws: ``ImportError``, if there is no such file.
    func begin(_ path: String) throws {
        _ = try ImportSource(path: path)
        let number = queue.sync {
            count += 1
            return count
        }
        let name = URL(filePath: path).lastPathComponent.printable
        note("\(name): reading", of: number)
        group.enter()
        // The user waits for the import, and `wait()` may block a thread of tasks of the usual priority.
        Task.detached(priority: .userInitiated) { [self] in
            end(number, with: await run(path, name, number))
            group.leave()
        }
    }

    private func run(_ path: String, _ name: String, _ number: Int) async -> Report {
        do {
            let imported = try AppleLibraryImporter.read(ImportSource(path: path))
            let total = counted(imported.tracks.count, "song")
            let summary = try await container.write { [self] store in
                try Library(store).take(imported) { done in
                    note("\(name): \(done) of \(total)", of: number)
                }
            }
            return Report(
                lines: Session.lines(of: summary, from: path, imported.notes), isFailure: false)
        } catch {
            return Report(lines: ["\(error)"], isFailure: true)
        }
    }

    private func note(_ stage: String, of number: Int) { queue.sync { stages[number] = stage } }

    private func end(_ number: Int, with report: Report) {
        queue.sync {
            stages[number] = nil
            reports.append(report)
        }
    }

    /// How far the imports are that have not ended, in the order in which they began.
    var progress: [String] {
        queue.sync { stages.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The reports since the last call.
    func takeReports() -> [Report] {
        queue.sync {
            defer { reports = [] }
            return reports
        }
    }

    /// Returns once all have ended.
    func wait() { group.wait() }
}
