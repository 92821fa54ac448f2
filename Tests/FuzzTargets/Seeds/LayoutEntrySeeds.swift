enum LayoutEntrySeeds {
    static var all: [FuzzSeed] {
        [
            FuzzSeed(
                "narrower",
                counted(
                    fields([
                        ("serial", "Int", []), ("price", "Int32", []), ("text", "String", []),
                        ("shelf", "One<Shelf>", [1, 0]),
                    ])) + counted(noRelations)
                    + [1] + [7, 0, 0, 0, 0, 0, 0, 0] + [100, 0, 0, 0] + text("hi")
                    + [0, 0, 0, 0, 0]),
            FuzzSeed(
                "relations",
                counted(
                    fields([
                        ("text", "String", []),
                        (
                            "shelf", "One<Shelf>",
                            [3, 0, 1, 0, 0, 0, 0] + text("books") + [1, 0, 0, 0]
                        ),
                    ]))
                    + counted(
                        [1, 1, 0, 1, 0, 0, 0] + text("shelf") + [7] + text("nullify")
                            + text("books") + [1, 0, 0, 0] + text("shelf-0.books") + [1, 0, 0, 0])
                    + [1] + text("a") + [0, 0, 0, 0, 0]),
            FuzzSeed("others", others),
            FuzzSeed("by-hand", counted([2, 3, 0]) + counted(noRelations) + [1, 1, 2]),
            FuzzSeed(
                "deep", counted(fields([("a", String(repeating: "[", count: 60), [])])) + [0, 0]),
        ]
    }

    private static var others: [UInt8] {
        let layout = fields([
            ("a", "[String: [Date]]", []), ("b", "Set<UUID>", []), ("c", "Codable<Place>?", []),
            ("d", "Custom<Money>", []), ("e", "Many<Book>", []), ("f", "UInt16??", []),
            ("g", "[[Bool]]", []), ("text", "String", []), ("h", "Decimal", []),
        ])
        var record: [UInt8] = [1] + [UInt8](repeating: 0, count: 8)
        record += [1, 8, 0, 0, 0, 1, 1, 1, 97, 0xCE, 2, 0, 5] as [UInt8]
        record += [2, 0, 0, 0, 9, 9, 1, 0, 0, 0, 0, 1, 1, 7, 0] as [UInt8]
        record += [1, 0, 0, 0, 1, 0, 0, 0, 1] as [UInt8]
        record += text("b")
        record += text("12.5")
        return counted(layout) + counted(noRelations) + record
    }

    private static let noRelations: [UInt8] = [1, 1, 0] + [UInt8](repeating: 0, count: 8)

    /// A layout of fields, each with a name, a type, and what is known of a relationship.
    private static func fields(_ fields: [(String, String, [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = [2, 0, 1, UInt8(fields.count), 0, 0, 0]
        for (index, field) in fields.enumerated() {
            bytes += text(field.0)
            bytes += text(field.1)
            bytes += field.2.isEmpty ? [0] : field.2
            // One identity, and no former name.
            bytes += [1, 0, 0, 0, UInt8(index), 0, 0, 0] as [UInt8]
            bytes += [0, 0, 0, 0]
        }
        return bytes
    }

    private static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8)
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)] + bytes
    }
}
