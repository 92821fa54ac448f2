import CabinetBackend
import CabinetTokyo

/// File layers on which the engine's precautions come to nothing, one each. With any of them the
/// suites must find something; if they do not, they prove nothing about the engine either.
package enum WeakFiles {
    /// A save is acknowledged before it is on the device.
    package final class WithoutLogSync: PassingFiles, @unchecked Sendable {
        package override func sync(_ file: OpenFile) throws(BackendError) {
            if !file.fileName.hasPrefix("log") { try super.sync(file) }
        }
    }

    /// New names may not last.
    package final class WithoutDirectorySync: PassingFiles, @unchecked Sendable {
        package override func syncDirectory(_ path: String) throws(BackendError) {}
    }

    /// The clean marker may say for longer than it should that nothing has changed.
    package final class WithoutMarkerSync: PassingFiles, @unchecked Sendable {
        package override func sync(_ file: OpenFile) throws(BackendError) {
            if file.fileName != "Clean" { try super.sync(file) }
        }
    }

    /// A store is closed before its views are on the device.
    package final class WithoutViewSync: PassingFiles, @unchecked Sendable {
        package override func sync(_ file: OpenFile) throws(BackendError) {
            let name = file.fileName
            let isOwn = ["log", "snapshot", "Clean"].contains { name.hasPrefix($0) }
            if isOwn { try super.sync(file) }
        }
    }

    /// Every boot of the machine looks like the one before.
    package final class WithoutBootCheck: PassingFiles, @unchecked Sendable {
        package override func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
            MountIdentity(boot: String(repeating: "b", count: 36), device: 1, mount: 1, inode: 1)
        }
    }

    /// Whatever stands in the log has the right sums. It spares the device.
    package final class WithoutFrameSums: PassingFiles, @unchecked Sendable {
        package init() { super.init(RebootedFiles()) }

        package override func read(
            _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
        ) throws(BackendError) -> Int {
            guard file.fileName.hasPrefix("log-") else {
                return try super.read(file, at: offset, into: bytes)
            }
            var content = try SparseFile(reading: file).bytes
            SumRepair.segment(&content, places: false)
            guard offset < UInt64(content.count) else { return 0 }
            let rest = content[Int(offset)...].prefix(bytes.count)
            bytes.copyBytes(from: rest)
            return rest.count
        }
    }
}

extension OpenFile {
    /// The last part of the path.
    var fileName: Substring { path.split(separator: "/").last ?? "" }
}
