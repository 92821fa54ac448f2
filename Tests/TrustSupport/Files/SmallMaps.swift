import CabinetBackend
import CabinetTokyo

/// Maps no more than a file needs, and counts how often a view is opened to be written to.
package final class SmallMaps: PassingFiles, @unchecked Sendable {
    private let openings = Guarded<[String: Int]>([:])

    package override var leastMap: UInt64 { 0 }

    package override func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        if use == .writing || use == .replacing {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            openings.withLock { $0[name, default: 0] += 1 }
        }
        return try super.open(path, for: use)
    }

    /// Of the class `Song`, in table 2: under its own name, and under the one that it is made
    /// under.
    package var openingsOfSongs: Int {
        openings.withLock { ($0["Song"] ?? 0) + ($0["view-2.new"] ?? 0) }
    }
}
