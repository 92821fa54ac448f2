import CChecksum
import CLibrary
import CabinetBackend

/// The file `Journal/Key`: the keys by which a store is sealed, wrapped by the user's key.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabnKey`, 0 |
/// | 8 | UInt32 format: 1 |
/// | 12 | UInt32 what the user's key is: 0 bytes, 1 a passphrase |
/// | 16 | UInt32 passes of Argon2id, 0 for bytes |
/// | 20 | 4 bytes 0 |
/// | 24 | UInt64 memory of Argon2id, in bytes, 0 for bytes |
/// | 32 | 16 bytes of salt |
/// | 48 | UInt32 length *n* of what follows at 52 |
/// | 52 | a nonce of 24 bytes, the ``DataKeys`` sealed by XChaCha20-Poly1305, and a tag of 16 bytes |
/// | 52 + n | UInt32 CRC-32C of all bytes above |
///
/// The bytes 0 to 51 are bound to what is sealed. The wrapping key is BLAKE2b of `Cabinet key` and the salt, keyed
/// by the user's 32 bytes, or by those that Argon2id (version 1.3, one lane) makes of passphrase and salt.
package struct KeyFile: Equatable {
    static let headSize = 52
    static let saltSize = 16
    static let format: UInt32 = 1
    private static let known = KnownFormats(1...format)
    static let magic: UInt64 = 0x0079_654B_6E62_6143
    /// A longer one is none.
    static let longest: UInt64 = 4096

    var bytes: [UInt8]

    /// The file at `path`; `nil` if there is none.
    /// - Throws: ``BackendError/corrupt(path:offset:)``, ``BackendError/newerFormat(path:found:known:)``.
    package static func read(
        _ path: String, _ files: any FileLayer
    ) throws(BackendError) -> KeyFile? {
        var former: UInt64?
        while true {
            guard let status = try files.status(of: path) else { return nil }
            guard status.isFile else { throw .pathTaken(path: path) }
            do throws(BackendError) {
                guard status.size <= longest, status.size >= UInt64(headSize + 4) else {
                    throw .corrupt(path: path, offset: 0)
                }
                let file = try files.open(path, for: .reading)
                return try KeyFile(
                    try files.readBytes(Int(status.size), from: file, at: 0), path: path)
            } catch .corrupt where former != status.inode {
                // One that is replaced is overwritten: another look finds the new one.
                former = status.inode
            } catch {
                throw error
            }
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes of a file of keys, wherever they were read.
    /// - Throws: as ``read(_:_:)``.
    init(_ bytes: [UInt8], path: String) throws(BackendError) {
        let size = bytes.count - 4
        guard size >= Self.headSize else { throw .corrupt(path: path, offset: 0) }
        let head = bytes.withUnsafeBytes { bytes -> (magic: UInt64, format: UInt32, rest: Int)? in
            guard let base = bytes.baseAddress,
                base.get(UInt32.self, at: size)
                    == UnsafeRawBufferPointer(rebasing: bytes[..<size]).checksum()
            else { return nil }
            return (base.get(at: 0), base.get(at: 8), Int(base.get(UInt32.self, at: 48)))
        }
        guard let head, head.magic == Self.magic else { throw .corrupt(path: path, offset: 0) }
        try Self.known.check(head.format, path: path)
        guard head.rest == size - Self.headSize, head.rest > SealedPiece.overhead else {
            throw .corrupt(path: path, offset: 48)
        }
        self.init(bytes: bytes)
        guard let cost else { throw .corrupt(path: path, offset: 12) }
        if let cost, !cost.isPossible { throw .corrupt(path: path, offset: 16) }
    }

    /// Writes the file, and replaces the one that is there at once, whose bytes it then overwrites. After a
    /// throw one of both is there.
    ///
    /// - Parameter directory: that of `path`.
    package func write(
        to path: String, in directory: String, _ files: any FileLayer
    ) throws(BackendError) {
        let aside = path + ".new"
        let former = try files.status(of: path) == nil ? nil : files.open(path, for: .writing)
        do throws(BackendError) {
            let file = try files.open(aside, for: .replacing)
            try files.write(bytes, to: file, at: 0)
            try files.sync(file)
            try files.rename(aside, to: path)
        } catch {
            try? files.remove(aside)
            throw error
        }
        try files.syncDirectory(directory)
        // It has no name any more: that it cannot be overwritten leaves the new one in force.
        if let former, let size = try? files.size(of: former) {
            try? files.write([UInt8](repeating: 0, count: Int(size)), to: former, at: 0)
            try? files.sync(former)
        }
    }

    /// What making the key of a passphrase takes; `.some(nil)`: the key is bytes; `nil`: neither.
    var cost: PassphraseCost?? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count >= Self.headSize else { return nil }
            switch base.get(UInt32.self, at: 12) {
            case 0: return .some(nil)
            case 1:
                return PassphraseCost(
                    passes: base.get(at: 16), memory: base.get(at: 24))
            default: return nil
            }
        }
    }

    /// The first bytes of a file.
    static func head(_ cost: PassphraseCost?, salt: [UInt8], rest: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: format)
        bytes.append(littleEndian: cost == nil ? 0 : 1 as UInt32)
        bytes.append(littleEndian: cost?.passes ?? 0)
        bytes.append(littleEndian: 0 as UInt32)
        bytes.append(littleEndian: cost?.memory ?? 0)
        bytes += salt
        bytes.append(littleEndian: UInt32(rest))
        return bytes
    }
}
