import Cabinet
import Foundation
import TrustSupport

/// Imports a document into a store in memory.
enum DocumentAttempt {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        do {
            for policy in [ImportPolicy.refuse, .skip] {
                let store = try Store(inMemory: Bookshop.classes)
                do {
                    try store.json.import(Data(bytes), unknown: policy)
                    try store.save()
                    try Bookshop.readBooks(in: store)
                } catch StoreError.badImport(let line, let column, let reason) {
                    precondition(line > 0 && column > 0 && !reason.isEmpty)
                    precondition(!store.hasChanges)
                }
            }
        } catch {
            preconditionFailure("A store in memory takes everything: \(error)")
        }
    }
}
