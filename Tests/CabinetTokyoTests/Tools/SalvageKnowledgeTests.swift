import CabinetBackend
import Testing

@testable import CabinetTokyo

struct SalvageKnowledgeTests {
    private func names(_ given: [TableNumber: String]) -> [TableNumber: String] {
        var knowledge = SalvageKnowledge()
        for (number, name) in given {
            knowledge.define(TableDefinition(number: number, kind: .record, name: name))
        }
        knowledge.resolveNames()
        #expect(knowledge.definitions.values.allSatisfy { $0.hasValidName })
        return knowledge.definitions.mapValues(\.name)
    }

    @Test func namesThatAreValidAndDifferentStay() {
        let given: [TableNumber: String] = [2: "Song", 3: "Song-1", 7: "Playlist"]
        #expect(names(given) == given)
    }

    /// Where the name to go on with was taken too, it was tried for ever.
    @Test func aNameThatCannotStayGetsOneThatNobodyHas() {
        #expect(
            names([2: "Recovered-4", 3: "recovered-4-1", 4: "", 5: "RECOVERED-4", 6: "a/b"])
                == [
                    2: "Recovered-4", 3: "recovered-4-1", 4: "Recovered-4-2", 5: "Recovered-5",
                    6: "Recovered-6",
                ])
    }

    /// The number behind the highest was none.
    @Test func aTableOfTheAncestorsGetsANumberThatNobodyHas() throws {
        var knowledge = SalvageKnowledge()
        knowledge.define(TableDefinition(number: 2, kind: .record, name: "Song"))
        knowledge.note(table: 7)
        let record: [UInt8] = [9, 0, 0, 0, 1, 4]
        let metadata = try #require(record.withUnsafeBytes { LegacyMetadata($0) })
        knowledge.defineLegacy("Playlist", metadata)
        #expect(knowledge.definitions[8]?.name == "Playlist")
        knowledge.define(TableDefinition(number: .max, kind: .record, name: "Last"))
        knowledge.defineLegacy("Person", metadata)
        #expect(knowledge.definitions[3]?.name == "Person")
        #expect(knowledge.definitions[.max]?.name == "Last")
        #expect(knowledge.highestRows[3] == 9)
    }
}
