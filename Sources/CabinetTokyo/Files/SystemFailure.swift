import CLibrary
import CabinetBackend

/// Makes the errors of the system into those of the contract, here alone.
package enum SystemFailure {
    /// What the system's `code` means for `operation` on `path`; `needed` bytes were asked for.
    package static func error(
        _ operation: String, _ path: String, _ code: Int32, needed: UInt64 = 0
    ) -> BackendError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(path: path, needed: needed)
        case EACCES, EPERM, EROFS: .accessDenied(path: path)
        default: .system(operation: operation, path: path, code: code)
        }
    }
}
