import CLibrary
import CabinetBackend

extension SystemFiles {
    package func rename(_ path: String, to newPath: String) throws(BackendError) {
        guard systemRename(path, newPath) == 0 else {
            throw SystemFailure.error("rename", path, errno)
        }
    }

    package func remove(_ path: String) throws(BackendError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SystemFailure.error("unlink", path, errno)
        }
    }

    @discardableResult
    package func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        if errno == EEXIST { return false }
        throw SystemFailure.error("mkdir", path, errno)
    }

    package func removeDirectory(_ path: String) throws(BackendError) {
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw SystemFailure.error("rmdir", path, errno)
        }
    }

    package func syncDirectory(_ path: String) throws(BackendError) {
        try sync(try open(path, flags: O_RDONLY | O_DIRECTORY))
    }

    package func list(_ path: String) throws(BackendError) -> [String] {
        guard let directory = opendir(path) else {
            throw SystemFailure.error("opendir", path, errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw SystemFailure.error("readdir", path, errno) }
        return names.inOrder { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package func status(of path: String) throws(BackendError) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw SystemFailure.error("stat", path, errno)
        }
        return FileStatus(status)
    }

    package func copyPermissions(of path: String, to newPath: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        // The owner stays only where the system lets it be given away; that of another group would get what was
        // meant for the former one.
        if chown(newPath, status.st_uid, status.st_gid) != 0 {
            _ = chown(newPath, .max, status.st_gid)
        }
        var new = stat()
        guard lstat(newPath, &new) == 0 else { return }
        let isOfGroup = new.st_gid == status.st_gid
        _ = chmod(newPath, status.st_mode & (isOfGroup ? 0o777 : 0o707))
    }

    package func resolved(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
            let place = realpath(path, nil)
        else { return path }
        defer { free(place) }
        return String(cString: place)
    }
}

extension FileStatus {
    init(_ status: stat) {
        self.init(
            isDirectory: status.st_mode & S_IFMT == S_IFDIR,
            isFile: status.st_mode & S_IFMT == S_IFREG,
            size: UInt64(clamping: status.st_size),
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino),
            isPrivate: status.st_uid == geteuid() && status.st_mode & 0o077 == 0,
            isNamed: status.st_nlink > 0, modified: Self.modified(status))
    }

    private static func modified(_ status: stat) -> UInt64 {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return UInt64(clamping: time.tv_sec) * 1_000_000_000 + UInt64(clamping: time.tv_nsec)
    }
}

private func systemRename(_ path: String, _ newPath: String) -> Int32 {
    CLibrary.rename(path, newPath)
}
