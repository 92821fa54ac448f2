enum LayoutSeeds {
    static var all: [FuzzSeed] {
        [
            FuzzSeed(
                "narrower",
                list(
                    #"["serial","Int"],["price","Int32"],["text","String"],"#
                        + #"["shelf","One<Shelf>"]"#)
                    + [1] + number(7) + [100, 0, 0, 0] + [2, 0, 0, 0, 104, 105] + [0, 0, 0, 0, 0]),
            FuzzSeed(
                "others",
                list(
                    #"["a","[String: [Date]]"],["b","Set<UUID>"],["c","Codable<Place>"],"#
                        + #"["d","Custom<Money>"],["e","Many<Book>"],["f","UInt16??"],"#
                        + #"["g","[[Bool]]"],["text","String"],["h","Decimal"]"#)
                    + [1] + [UInt8](repeating: 0, count: 16) + [1, 1, 0, 0, 0, 2, 0, 0, 0, 1]
                    + [2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]),
            FuzzSeed(
                "compact",
                list(#"["a","Compact<Place>?"],["text","String"],["b","[Compact<Place>]"]"#)
                    + [1, 1, 8, 0, 0, 0, 1, 1, 1, 97, 0xCE, 2, 0, 5] + [1, 0, 0, 0, 98]
                    + [1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0xC2]),
            FuzzSeed(
                "by-hand", Array(#"{"layouts":[{"number":0,"version":0}]}"#.utf8) + [0, 0, 1, 2]),
            FuzzSeed("deep", list(#"["a",""# + String(repeating: "[", count: 60) + #""]"#)),
        ]
    }

    /// One layout with the number 1, of fields given as pairs of name and type; then the 0.
    private static func list(_ pairs: String) -> [UInt8] {
        var fields = pairs
        for (old, new) in [("[\"", "{\"name\":\""), ("\",\"", "\",\"type\":\""), ("\"]", "\"}")] {
            fields = fields.replacing(old, with: new)
        }
        return Array(#"{"layouts":[{"fields":[\#(fields)],"number":1,"version":0}]}"#.utf8) + [0]
    }

    private static func number(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
