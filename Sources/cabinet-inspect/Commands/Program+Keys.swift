import Cabinet
import CabinetBackend
import CabinetTokyo
import CabinetTools
import Foundation

extension Program {
    /// The key that the command line gives; `nil`: it gives none.
    func givenKey(_ invocation: Invocation) throws -> StoreKey? {
        if let file = invocation.keyFile { return try Self.key(in: file) }
        guard invocation.options.contains(.askPassphrase) else { return nil }
        let isNew = invocation.command == .encrypt
        return try askedKey("Passphrase: ", repeating: isNew)
    }

    /// Gives a store the key that the command line names as the new one.
    func rotate(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        let new: StoreKey
        if let file = invocation.newKeyFile {
            new = try Self.key(in: file)
        } else if invocation.options.contains(.askNewPassphrase) {
            new = try askedKey("New passphrase: ", repeating: true)
        } else {
            throw UsageError.noKey(.rotate)
        }
        try backend.rotateKey(to: new)
        answer(
            invocation, .members(("rotated", .truth(true))),
            ["The former key opens the store no more."])
        return .sound
    }

    func reencrypt(_ backend: TokyoBackend, _ invocation: Invocation) async throws -> ExitStatus {
        #if Encryption
            try await following("Writing anew") { try await backend.reencrypt(progress: $0) }
            answer(
                invocation, .members(("reencrypted", .truth(true))),
                ["The former data key opens nothing of the store."])
            return .sound
        #else
            throw BackendError.encryptionUnavailable(path: backend.location)
        #endif
    }

    private func askedKey(_ prompt: String, repeating: Bool) throws -> StoreKey {
        guard let text = ask?(prompt) else { throw KeyFileError.nobodyToAsk }
        if repeating, text.isEmpty { throw KeyFileError.empty }
        if repeating, ask?("The same again: ") != text { throw KeyFileError.different }
        return .passphrase(text)
    }

    /// The key in a file: 32 bytes, or as many as hexadecimal digits, with or without an end of line.
    private static func key(in file: String) throws -> StoreKey {
        let path = StoreAddress.path(file)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw KeyFileError.unreadable(path)
        }
        if data.count == 32 { return .raw(Array(data)) }
        var digits = data[...]
        while let last = digits.last, last == 0x0A || last == 0x0D { digits.removeLast() }
        guard digits.count == 64 else { throw KeyFileError.noKey(path) }
        var bytes: [UInt8] = []
        var rest = digits
        while !rest.isEmpty {
            guard let pair = String(validating: rest.prefix(2), as: UTF8.self),
                pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16)
            else { throw KeyFileError.noKey(path) }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return .raw(bytes)
    }
}

/// Why there is no key. Nothing was done.
enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String)
    case noKey(String)
    case nobodyToAsk
    case different
    case empty

    var description: String {
        switch self {
        case .unreadable(let path): "The file \(path) cannot be read."
        case .noKey(let path):
            "The file \(path) is no key: it has neither 32 bytes nor 64 hexadecimal digits."
        case .nobodyToAsk: "There is no terminal to ask for a passphrase at."
        case .different: "The two passphrases differ."
        case .empty: "An empty passphrase is none."
        }
    }
}
