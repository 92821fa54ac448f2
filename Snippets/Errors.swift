import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
}

func open(_ directory: URL) throws -> Store? {
    do {
        return try Store(directory: directory, classes: [Song.self])
    } catch BackendError.busy(_, let holder) {
        print("In use by \(holder). Try again later.")
    } catch BackendError.newerFormat, BackendError.accessDenied, BackendError.notAStore {
        print("This program cannot use \(directory).")
    } catch BackendError.corrupt(let path, let offset) {
        print("\(path) is damaged at byte \(offset). Salvage can read the rest.")
    }
    return nil
}

func save(_ store: Store) throws {
    do {
        try store.save()
    } catch BackendError.diskFull(_, let needed) {
        print("Make room on the disk (\(needed) bytes, if known) and save again.")
    } catch let error as StoreError {
        print(error)  // names the class, the row and the reason
    }
}
