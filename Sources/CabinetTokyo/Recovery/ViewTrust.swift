import CLibrary
import CabinetBackend

/// Whether a view file can be believed.
struct ViewTrust {
    /// What is known of the time since the file was last changed.
    enum Past {
        /// It was closed in order, and was then what the seal says.
        case closed(ViewSeal)
        /// It was not closed, but the system has been running since, so the pages are what was
        /// last written.
        case coherent
        /// Anything may have become of it.
        case unknown
    }

    enum Verdict {
        case sound(Table.View)
        /// Sound as of an earlier commit.
        case behind(Table.View, applied: CommitNumber)
        /// Not what it was left as, if `isDamage`; else kills, power cuts or other machines may
        /// have left it so.
        case untrusted(reason: String, isDamage: Bool)
    }

    let files: any FileLayer
    let store: UInt64

    func judge(
        _ state: TableState, at path: String, _ values: ValueForm, _ past: Past
    ) throws(BackendError) -> Verdict {
        func doubt(_ reason: String) -> Verdict {
            if case .closed = past { return .untrusted(reason: reason, isDamage: true) }
            return .untrusted(reason: reason, isDamage: false)
        }
        if case .unknown = past { return doubt("it was not closed in order") }
        guard let map = try FileMap.reading(path, files),
            let image = HashImage(base: map.base, size: map.size)
        else { return doubt("it is missing or no such file") }
        guard let mark = ViewMark(at: image.opaque), mark.store == store,
            mark.table == state.definition.number,
            mark.kind == state.definition.kind.rawValue
        else { return doubt("it is not marked as this table's") }
        guard image.isSwapped == LibraryOrder.isSwapped else {
            return .untrusted(
                reason: "it was made by another build of Tokyo Cabinet", isDamage: false)
        }
        guard !mark.isBusy else { return doubt("it was being changed") }
        guard mark.applied <= state.lastCommit else {
            return doubt("it is ahead of the log")
        }
        if try files.status(of: path + ".wal") != nil {
            return doubt("there is a .wal file beside it")
        }
        if case .closed(let seal) = past {
            guard mark.applied == state.lastCommit, map.size == seal.size else {
                return doubt("it is not what was closed")
            }
            if let sum = seal.sum {
                guard map.bytes.checksum() == sum else {
                    return doubt("its content has changed")
                }
            } else if image.recordCount != seal.count {
                return doubt("its count has changed")
            }
        } else if map.size <= ViewSeal.largestSummed {
            if let offset = image.firstDamage(values) {
                return .untrusted(reason: "it is damaged at byte \(offset)", isDamage: true)
            }
        }
        // The map is taken over: its pages need not be looked up a second time.
        let view: Table.View
        if let file = HashFile(map, at: path, files: files) {
            view = .hash(file)
        } else {
            view = try ViewBuilder.open(path, files)
        }
        return mark.applied == state.lastCommit
            ? .sound(view) : .behind(view, applied: mark.applied)
    }

    /// The marks in the files of a store's directory, of whichever store, by path. What the user
    /// may not read, or what leads nowhere, is no view.
    ///
    /// - Throws: if the device fails or the process lacks descriptors or memory, which says nothing
    ///   about the file.
    static func marks(
        in paths: StorePaths, _ files: any FileLayer
    ) throws(BackendError) -> [String: ViewMark] {
        var marks: [String: ViewMark] = [:]
        for path in [paths.catalog] + (try paths.files(in: files)) {
            do {
                marks[path] = try FileHead.read(path, files).mark
            } catch .accessDenied {
                continue
            } catch .system(_, _, let code)
                where [ELOOP, ENOENT, ENOTDIR, ENXIO, ESTALE, ENOTCONN].contains(code)
            {
                continue
            } catch {
                throw error
            }
        }
        return marks
    }
}
