import Cabinet
import Foundation

/// The picture of a record's sleeve.
final class Sleeve: StoredObject {
    @Field var picture = Data()
    @One var owner: LongPlayer?
}

/// An earlier program had `@Field var picture = Data()` here.
final class LongPlayer: StoredObject {
    @Field var title = ""
    @One(inverse: \Sleeve.owner, onDelete: .cascade) var sleeve: Sleeve?

    override func upgrade(from record: RawRecord) throws {
        guard let picture: Data = try record.value("picture") else { return }
        let sleeve = Sleeve()
        sleeve.picture = picture
        self.sleeve = sleeve
    }
}

/// Brings all records up to date at once, when the program starts.
func bringUpToDate(_ store: Store) throws {
    try store.upgradeAll()
    try store.save()
}
