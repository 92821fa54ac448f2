#if SQLite
    import CLibrary
    import CSQLite
    import CabinetBackend

    /// A disk whose syncs fail when they are told to: what stands between SQLite and the system for all files
    /// that are opened once it is installed.
    enum FailingDisk {
        private struct State: @unchecked Sendable {
            /// How many syncs of a file are to fail, and what is done at the last one.
            var failures: [String: (left: Int, atLast: @Sendable () -> Void)] = [:]
            var paths: [UInt: String] = [:]
            /// By the address of the methods that stand in for them. Neither changes.
            var methods: [UInt: UnsafePointer<sqlite3_io_methods>] = [:]
        }

        private static let state = Guarded(State())

        /// Has the next syncs of the log of a store fail.
        static func failSyncs(
            _ count: Int, of path: String, atLast action: @escaping @Sendable () -> Void = {}
        ) {
            state.withLock { $0.failures[path + "-wal"] = (count, action) }
        }

        /// The next commit's answer is lost. If it is to be made, who reads next finds the index of the log
        /// damaged, as a process leaves it that is killed while it writes there, and reads the log itself.
        static func loseAnswer(_ backend: any Backend, _ isMade: Bool) {
            let path = backend.location
            failSyncs(2, of: path) { if isMade { damageIndex(of: path) } }
        }

        private static func damageIndex(of path: String) {
            let file = open(path + "-shm", O_WRONLY)
            defer { close(file) }
            let bytes = [UInt8](repeating: 0x55, count: 96)
            precondition(pwrite(file, bytes, bytes.count, 0) == bytes.count)
        }

        /// The first call installs it, and calls at the same time return once that is done.
        static func install() { _ = installed }

        private static let installed: Void = {
            guard let usual = sqlite3_vfs_find(nil) else { return }
            let made = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
            made.initialize(to: usual.pointee)
            made.pointee.zName = UnsafePointer(strdup("cabinet-failing"))
            made.pointee.xOpen = { vfs, name, file, flags, given in
                guard let file, let open = sqlite3_vfs_find("unix")?.pointee.xOpen else {
                    return SQLITE_CANTOPEN
                }
                let code = open(vfs, name, file, flags, given)
                if code == SQLITE_OK { FailingDisk.take(file, name.map { String(cString: $0) }) }
                return code
            }
            sqlite3_vfs_register(made, 1)
        }()

        private static func take(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String?) {
            guard let methods = file.pointee.pMethods else { return }
            let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            made.initialize(to: methods.pointee)
            made.pointee.xSync = { file, flags in FailingDisk.sync(file, flags) }
            file.pointee.pMethods = UnsafePointer(made)
            state.withLock { state in
                state.methods[UInt(bitPattern: made)] = methods
                state.paths[UInt(bitPattern: file)] = path
            }
        }

        private static func sync(
            _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32
        ) -> Int32 {
            let (action, methods) = state.withLock { state in
                var action: (@Sendable () -> Void)?
                if let path = state.paths[UInt(bitPattern: file)],
                    let failure = state.failures[path]
                {
                    action = failure.left == 1 ? failure.atLast : {}
                    state.failures[path] =
                        failure.left == 1 ? nil : (failure.left - 1, failure.atLast)
                }
                return (action, state.methods[UInt(bitPattern: file?.pointee.pMethods)])
            }
            guard let action else { return methods?.pointee.xSync(file, flags) ?? SQLITE_MISUSE }
            action()
            errno = EIO
            // SQLITE_IOERR_FSYNC, a macro that Swift does not import.
            return SQLITE_IOERR | 4 << 8
        }
    }
#endif
