import CTokyoCabinet
import Foundation

/// A Tokyo Cabinet hash file in the temporary directory, gone when the last reference is.
final class HashFile {
    struct Failure: Error {
        /// Tokyo Cabinet's own number, `TCE…`.
        let code: Int32
    }

    private let handle: UnsafeMutablePointer<TCHDB>
    private let path: String

    init() throws {
        path = NSTemporaryDirectory() + "Cabinet-\(UUID().uuidString).tch"
        handle = tchdbnew()
        guard tchdbopen(handle, path, Int32(HDBOWRITER | HDBOCREAT)) else {
            throw Failure(code: tchdbecode(handle))
        }
    }

    deinit {
        tchdbdel(handle)
        unlink(path)
    }

    var recordCount: UInt64 { tchdbrnum(handle) }

    /// Puts "Test Song N" under the decimal text of N, for N from 1 to `count`.
    func putRecords(_ count: Int) throws {
        for number in 1...count {
            let key = Array(String(number).utf8)
            let value = Array("Test Song \(number)".utf8)
            guard tchdbput(handle, key, Int32(key.count), value, Int32(value.count)) else {
                throw Failure(code: tchdbecode(handle))
            }
        }
    }

    /// The bytes under `key`; nil if there is no such record.
    func value(of key: String) -> [UInt8]? {
        var size: Int32 = 0
        guard let bytes = tchdbget(handle, key, Int32(key.utf8.count), &size) else { return nil }
        defer { free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
    }
}
