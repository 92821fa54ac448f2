import CabinetBackend
import Testing

struct TableDefinitionTests {
    @Test(arguments: ["S", "Song", "a-b_c9", String(repeating: "x", count: 100)])
    func plainNamesNameTables(_ name: String) {
        for kind in [TableKind.record, .ordered] {
            #expect(TableDefinition(number: 2, kind: kind, name: name).hasValidName)
        }
    }

    @Test(arguments: [
        "", String(repeating: "x", count: 101), "a b", "a/b", "Öl", "a\0", "namedbuffers",
        "NamedBuffers", "JOURNAL",
    ])
    func otherNamesDoNot(_ name: String) {
        for kind in [TableKind.record, .ordered] {
            #expect(!TableDefinition(number: 2, kind: kind, name: name).hasValidName)
        }
    }

    @Test func onlyOrderedTablesHaveDots() {
        #expect(TableDefinition(number: 2, kind: .ordered, name: "Song.1").hasValidName)
        #expect(!TableDefinition(number: 2, kind: .record, name: "Song.1").hasValidName)
    }

    @Test func letterCaseDoesNotTellNamesApart() {
        let one = TableDefinition(number: 2, kind: .record, name: "Song")
        let other = TableDefinition(number: 3, kind: .record, name: "sONG")
        #expect(one.foldedName == other.foldedName)
    }
}
