import Cabinet
import Foundation
import Testing
import TrustSupport

/// A page of which commits say what they replace.
final class KeptPage: StoredObject {
    @Field var text = ""

    override class var keepsHistory: Bool { true }
}

struct StoreFileHistoryTests {
    private let desk = Desk()

    private func open(_ url: URL? = nil) throws -> StoreFile {
        try StoreFile(
            url ?? desk.url(), classes: [KeptPage.self], workingDirectory: desk.url("Working"),
            log: .none)
    }

    private func texts(_ file: StoreFile) throws -> [String] {
        let page = try #require(try file.store.objects(of: KeptPage.self).first)
        return try file.container.history(of: page).map { "\($0.commit)" }
    }

    /// Once, history began anew at each opening.
    @Test func aFileHasTheHistoryOfItsClasses() throws {
        var file = try open()
        let page = KeptPage()
        file.store.insert(page)
        var expected: [String] = []
        for round in 0..<4 {
            for number in 0..<5 {
                let found = try #require(
                    round == 0 ? page : try file.store.objects(of: KeptPage.self).first)
                found.text = "\(round) \(number)"
                try file.store.save()
            }
            expected = try texts(file)
            #expect(expected.count == 5 * (round + 1))
            // A save of what was saved already, too.
            try file.save()
            try file.save()
            #expect(!file.isEdited)
            try file.close()
            file = try open()
            #expect(file.unsavedEdits == nil && !file.isEdited)
            #expect(try texts(file) == expected)
        }
        let then = try file.container.history(
            of: try #require(try file.store.objects(of: KeptPage.self).first))
        let fields = then.compactMap { event -> String? in
            if case .changed(let fields) = event.kind { return "\(fields)" }
            return nil
        }
        #expect(fields.count { $0.contains("2 3") } >= 1)
        let copy = desk.url("Copy.cabinet")
        try file.duplicate(to: copy)
        try file.revert()
        #expect(try texts(file) == expected)
        try file.close()
        file = try open(copy)
        #expect(try texts(file) == expected)
        try file.close()
    }
}
