import Cabinet
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

/// A salvaged store has lost saves, and its commits are numbered anew: what is made of records is made again.
struct SalvagedIndexTests {
    final class Leaflet: StoredObject {
        @Field var number = 0
        @Field var text = ""
        @One var cover: Leaflet?

        override class var indexes: [Index] { [.ordered(\Leaflet.number)] }
        override class var textIndexes: [TextIndex] { [.text(\Leaflet.text)] }
        override class var tracksReferrers: Bool { true }
    }

    @Test(arguments: [false, true]) func whatIsMadeOfRecordsFitsThem(_ isDamaged: Bool) async throws
    {
        let directory = try TemporaryDirectory()
        let damaged = directory.url.appending(path: "Damaged")
        let saved = directory.url.appending(path: "Saved")
        do {
            let store = try Store(directory: damaged, classes: [Leaflet.self])
            let all = (0..<30).map { _ in Leaflet() }
            all.forEach(store.insert)
            // One save for each, so that a damaged one is not all.
            for (number, leaflet) in all.enumerated() {
                leaflet.number = number
                leaflet.text = "leaflet number\(number)"
                leaflet.cover = all[0]
                try store.save()
            }
            try store.close()
        }
        if isDamaged { try damage(damaged) }
        let report = try await TokyoBackend.salvage(from: damaged.path, into: saved.path)
        #expect(report.lost.isEmpty != isDamaged)
        let store = try Store(directory: saved, classes: [Leaflet.self])
        defer { try? store.close() }
        try store.indexes.build()
        let all = try store.objects(of: Leaflet.self)
        #expect(isDamaged ? all.count < 30 || all.contains { $0.number == 0 } : all.count == 30)
        for leaflet in all where leaflet.number > 0 {
            let number = leaflet.number
            #expect(
                try store.fetch(Leaflet.self, where: #Predicate { $0.number == number })
                    == [leaflet])
            #expect(
                try store.search(Leaflet.self, "number\(number)", in: \.text).map(\.object)
                    == [leaflet])
        }
        let first = try #require(all.first)
        first.text = "changed"
        try store.save()
        #expect(try store.search(Leaflet.self, "changed", in: \.text).count == 1)
        #expect(try store.search(Leaflet.self, "number0", in: \.text).count == 0)
        let referring = all.filter { $0.cover === first }
        #expect(Set(try store.referrers(of: first)) == Set(referring))
        #expect(try await store.check().isSound)
    }

    /// Makes a save in the middle of the log unreadable, and the files that hold what it wrote.
    private func damage(_ store: URL) throws {
        let journal = store.appending(path: "Journal")
        for name in try FileManager.default.contentsOfDirectory(atPath: journal.path)
        where name.hasPrefix("log-") {
            let file = journal.appending(path: name)
            var bytes = try Data(contentsOf: file)
            guard let place = bytes.range(of: Data("number17".utf8)) else { continue }
            bytes[place.lowerBound] ^= 0xFF
            try bytes.write(to: file)
        }
        try FileManager.default.removeItem(at: store.appending(path: "Leaflet"))
    }
}
