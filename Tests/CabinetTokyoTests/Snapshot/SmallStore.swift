import CabinetBackend

@testable import CabinetTokyo

/// A model with a little of everything: rows, an index whose keys share their beginnings, names,
/// an empty table, values of no bytes and values that deflate well.
func smallStore() throws -> StoreModel {
    var model = StoreModel()
    let batch = WriteBatch()
    model.commitNumber = 9
    try model.define(
        TableDefinition(number: 2, kind: .record, name: "Song", classNumber: 1, classVersion: 3),
        in: batch)
    try model.define(TableDefinition(number: 3, kind: .ordered, name: "Song.1.index"), in: batch)
    try model.define(TableDefinition(number: 7, kind: .record, name: "Playlist"), in: batch)
    try model.put([1, 2, 3], key: Array("Catalog entry".utf8), in: .catalog, batch)
    for row in 2..<10 as Range<RowID> {
        try model.put(Array("Echoes, part \(row)".utf8), row: row, in: 2, batch)
    }
    try model.put([], row: 255, in: 2, batch)
    try model.put([UInt8](repeating: 65, count: 200), row: 256, in: 2, batch)
    try model.put([9], row: .max, in: 2, batch)
    for key in ["", "a", "a\0", "abcdefgh", "abcdefgh\0", "abcdefghi", "b"] {
        try model.put(Array(key.utf8.reversed()), key: Array(key.utf8), in: 3, batch)
    }
    return model
}

/// Writes `model` to `path`.
func writeSnapshot(
    _ model: StoreModel, _ path: String, storeID: UInt64 = 77, blockLimit: Int = 256 << 10,
    files: any FileLayer = SystemFiles()
) throws {
    var writer = try SnapshotWriter(
        files: files, path: path, storeID: storeID, commitNumber: model.commitNumber,
        highestTable: model.highestTable, blockLimit: blockLimit)
    try writer.write(model)
}
