/// The name of a field, as an encoder takes it.
struct FieldKey: CodingKey {
    let stringValue: String
    /// In the path to an object that is written within another one: that one.
    let owner: ObjectIdentifier?

    init(_ name: String, owner: StoredObject? = nil) {
        stringValue = name
        self.owner = owner.map { ObjectIdentifier($0) }
    }

    init(stringValue: String) { self.init(stringValue) }

    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
}

extension CodingUserInfoKey {
    /// How many relationships an encoder follows from the object that it is given: an `Int`.
    ///
    /// ```swift
    /// let encoder = JSONEncoder()
    /// encoder.userInfo[.relationshipDepth] = 2
    /// let data = try encoder.encode(playlist)  // with its songs, and their artists
    /// ```
    ///
    /// 0, which is also the default, writes IDs only. Depths above 64 count as 64.
    public static let relationshipDepth = CodingUserInfoKey(rawValue: "Cabinet.relationshipDepth")!
}
