import Cabinet
import CabinetTokyo
import Foundation

/// Opens the store of a person who knows the passphrase; a new directory is sealed by it.
func openSealed(
    _ directory: URL, _ passphrase: String, classes: [StoredObject.Type]
) throws -> Store {
    do {
        return try Store(directory: directory, classes: classes, key: .passphrase(passphrase))
    } catch BackendError.wrongKey {
        print("That is not the passphrase.")
        throw CocoaError(.userCancelled)
    }
}

/// From now on the new passphrase opens the store, and the former one does not.
func changePassphrase(of store: Store, to passphrase: String) throws {
    try (store.backend as? TokyoBackend)?.rotateKey(to: .passphrase(passphrase))
}
