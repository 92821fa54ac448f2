import CabinetBackend

/// The files of runs in a store's directory.
struct RunFiles {
    /// What was found of one table.
    struct Found {
        /// The chain, oldest first.
        var runs: [(run: Run, span: CommitSpan, path: String)] = []
        /// The files that are no whole runs.
        var damaged: [String] = []
        /// The files that are not needed.
        var superfluous: [String] = []
    }

    private let files: any FileLayer
    private let directory: String
    /// What looks like runs, with the numbers of the tables in their names.
    private let listed: [(name: RunName, number: TableNumber?, file: String)]

    /// Lists the directory.
    init(files: any FileLayer, directory: String) throws(BackendError) {
        self.files = files
        self.directory = directory
        listed = try files.list(directory).compactMap { file in
            RunName(fileName: file).map { ($0, $0.tableNumber, file) }
        }
    }

    /// The runs of a table, whatever its name was when they were written: the number at the end of
    /// their names is the table's.
    private func candidates(of table: TableNumber) -> [RunChain.Candidate] {
        var found: [RunChain.Candidate] = []
        for run in listed where run.number == table {
            found.append(RunChain.Candidate(path: directory + "/" + run.file, span: run.name.span))
        }
        return found
    }

    /// The paths of all files of a table.
    func paths(of table: TableNumber) -> [String] { candidates(of: table).map(\.path) }

    /// The paths of the files of tables that are not among `tables`.
    func strays(_ tables: Set<TableNumber>) -> [String] {
        listed.filter { run in run.number.map { !tables.contains($0) } ?? false }
            .map { directory + "/" + $0.file }
    }

    /// What the heads of all runs in the directory say, by path, for salvage: files that cannot be
    /// read, or have no head that is known, are left out.
    func readableHeaders() -> [String: RunHeader] {
        var found: [String: RunHeader] = [:]
        for run in listed {
            let path = directory + "/" + run.file
            do throws(BackendError) {
                let file = try files.open(path, for: .reading)
                let bytes = try files.readBytes(RunHeader.size, from: file, at: 0)
                found[path] = try bytes.withBytes { (bytes) throws(BackendError) in
                    guard let base = bytes.baseAddress else { return nil }
                    return try RunHeader(base, path: path)
                }
            } catch {
                continue
            }
        }
        return found
    }

    /// The name of the table in the name of one of its runs.
    func tableName(of table: TableNumber) -> String? {
        listed.first { $0.number == table }
            .map { String($0.name.table.dropLast(".\(table)".count)) }
    }

    /// The highest commit that a whole run of the store goes to: the log was synced up to there.
    /// 0: there is none.
    ///
    /// - Throws: as ``open(_:upTo:)``.
    func highestCommit(
        in store: UInt64, of tables: [TableNumber]
    ) throws(BackendError) -> CommitNumber {
        var highest = CommitNumber.none
        for table in tables {
            guard let top = candidates(of: table).max(by: { $0.span.to < $1.span.to }),
                top.span.to > highest
            else { continue }
            var found = Found()
            let identity = RunIdentity(store: store, table: table)
            if try open(top, identity, &found) != nil { highest = top.span.to }
        }
        return highest
    }

    /// Opens the runs that are the layers of a table: those that reach farthest without a gap, of
    /// commits up to `lastCommit`. One that is damaged is left out, and with it what it alone leads
    /// to.
    ///
    /// - Throws: if the device fails or the process lacks memory or descriptors, which says nothing
    ///   about the runs.
    func open(
        _ identity: RunIdentity, upTo lastCommit: CommitNumber
    ) throws(BackendError) -> Found {
        var candidates = candidates(of: identity.table)
        var found = Found()
        var known: [(run: Run, span: CommitSpan, path: String)] = []
        repeat {
            let choice = RunChain.select(candidates, upTo: lastCommit)
            found.runs = []
            for link in choice.chain {
                if let run = known.first(where: { $0.path == link.path }) {
                    found.runs.append(run)
                } else if let run = try open(link, identity, &found) {
                    found.runs.append((run, link.span, link.path))
                } else {
                    candidates.removeAll { $0 == link }
                    known += found.runs.filter { run in !known.contains { $0.path == run.path } }
                    break
                }
            }
            guard found.runs.count == choice.chain.count else { continue }
            found.superfluous = (choice.superseded + choice.unreachable).map(\.path)
            return found
        } while true
    }

    /// The layers of a table as the names say, without opening a file; `nil`: that would not do,
    /// because files are missing, superfluous or of other sizes together.
    ///
    /// They may end before the table's last commit, which need not have changed a key: one that only
    /// defines the table makes no run.
    ///
    /// - Parameter size: the bytes that the runs had together when the store was closed.
    func pending(
        _ identity: RunIdentity, upTo lastCommit: CommitNumber, size: UInt64
    ) throws(BackendError) -> [PendingRun]? {
        let choice = RunChain.select(candidates(of: identity.table), upTo: lastCommit)
        guard choice.superseded.isEmpty, choice.unreachable.isEmpty else { return nil }
        var runs: [PendingRun] = []
        var sum: UInt64 = 0
        for link in choice.chain {
            guard let status = try files.status(of: link.path), status.isFile else { return nil }
            sum += status.size
            runs.append(
                PendingRun(
                    files: files, path: link.path, identity: identity, span: link.span,
                    status: status))
        }
        return sum == size ? runs : nil
    }

    /// `nil`: it is no whole run of the table and of the commits that its name gives.
    private func open(
        _ link: RunChain.Candidate, _ identity: RunIdentity, _ found: inout Found
    ) throws(BackendError) -> Run? {
        do throws(BackendError) {
            // What belongs to another store stays as it is.
            guard let run = try Run(files: files, path: link.path, identity: identity) else {
                return nil
            }
            if run.span == link.span { return run }
        } catch {
            guard case .corrupt = error else { throw error }
        }
        found.damaged.append(link.path)
        return nil
    }
}

extension RunName {
    /// The path of a run whose file's path begins with `base`: the table's name and number.
    static func path(base: String, _ span: CommitSpan) -> String {
        let slash = base.lastIndex(of: "/")
        let name = slash.map { String(base[base.index(after: $0)...]) } ?? base
        return directory(of: base) + "/" + RunName(table: name, span: span).fileName
    }

    /// The directory that `base` is in.
    static func directory(of base: String) -> String {
        base.lastIndex(of: "/").map { String(base[..<$0]) } ?? "."
    }
}
