import CabinetBackend
import Foundation

/// Named buffers that this store is about to save and others have saved since.
///
/// A buffer counts as one field, of an object of class "NamedBuffers" in row 0.
struct NameConflicts {
    private static let className = "NamedBuffers"

    /// What was saved under each name, as UTF-8, when this store's change began.
    private var bases: [[UInt8]: [UInt8]?] = [:]

    var isEmpty: Bool { bases.isEmpty }

    /// Adds the pending names that others have changed up to `newer`. The basis has not moved yet.
    mutating func look(for newer: Store.Newer, in store: Store) throws(BackendError) {
        if store.pendingNames.isEmpty || newer.changes.isEmpty { return }
        for name in store.pendingNames.all where bases[name] == nil {
            let before = try Self.saved(name, in: store.reader)
            let isChanged =
                newer.changes.isUnknown
                ? try Self.saved(name, in: newer.reader) != before
                : newer.changes.names.contains(name)
            if isChanged { bases.updateValue(before, forKey: name) }
        }
    }

    /// Takes all pending names for changed by others. This is called when a read has failed: a base
    /// that cannot be read counts as a name that was not there.
    mutating func takeAllForChanged(in store: Store) {
        for name in store.pendingNames.all where bases[name] == nil {
            bases.updateValue((try? Self.saved(name, in: store.reader)) ?? nil, forKey: name)
        }
    }

    /// What `reader` has under `name`; `nil` for nothing.
    private static func saved(
        _ name: [UInt8], in reader: any BackendReader
    ) throws(BackendError) -> [UInt8]? {
        let buffer = DataBuffer()
        do throws(BackendError) {
            let isThere = try reader.value(forKey: name, in: .namedBuffers, into: buffer)
            return isThere ? [UInt8](buffer.memory) : nil
        } catch {
            guard case .snapshotTooOld = error else { throw error }
            return nil
        }
    }

    /// The names that get what others have saved, by `policy`, with that.
    /// - Throws: ``StoreError/conflict(_:)``, with `others` before these.
    func resolve(
        _ policy: ConflictPolicy, _ reader: any BackendReader, _ others: [ObjectConflict],
        in store: Store
    ) throws -> [(name: String, bytes: [UInt8]?)] {
        var taken: [(name: String, bytes: [UInt8]?)] = []
        var refused = others
        for (key, base) in bases.inOrder(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let (buffer, name) = (DataBuffer(), String(decoding: key, as: UTF8.self))
            guard let isSet = store.pendingNames.find(name, into: buffer) else { continue }
            let mine = isSet ? [UInt8](buffer.memory) : nil
            let theirs = try Self.saved(key, in: reader)
            // Both have done the same.
            if mine == theirs { continue }
            let conflict = ObjectConflict(
                className: Self.className, rowID: 0, kind: .changed,
                fields: [
                    FieldConflict(
                        name: name, base: Self.value(base),
                        mine: Self.value(mine),
                        theirs: Self.value(theirs))
                ])
            switch try policy.resolution(of: conflict) {
            case .throw: refused.append(conflict)
            case .theirs: taken.append((name, theirs))
            case .fields(let sides) where sides[name] == .theirs: taken.append((name, theirs))
            case .mine, .merge, .fields: break
            }
        }
        guard refused.isEmpty else { throw StoreError.conflict(refused) }
        return taken
    }

    private static func value(_ bytes: [UInt8]?) -> FieldValue {
        bytes.map { .bytes(Data($0)) } ?? .none
    }
}

extension Store {
    /// Makes the changes of names those that others have made.
    func take(_ names: [(name: String, bytes: [UInt8]?)]) {
        for (name, bytes) in names {
            guard let bytes else {
                pendingNames.set(nil, for: name, in: self)
                continue
            }
            let buffer = DataBuffer()
            bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
            pendingNames.set(buffer, for: name, in: self)
        }
    }
}
