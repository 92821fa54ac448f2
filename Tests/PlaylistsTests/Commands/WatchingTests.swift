import Cabinet
import Foundation
import Testing
import TrustSupport

@testable import playlists

/// `watch` beside others that save.
struct WatchingTests {
    @MainActor @Test(arguments: [false, true])
    func whatOthersSaveIsShown(onTerminal isTerminal: Bool) async throws {
        let container = StoreContainer(inMemory: Library.classes)
        let writer = try container.makeStore()
        let songs = ["A", "B"].map { insert($0, 1970, in: writer) }
        insert("Too old", 1959, in: writer)
        try writer.save()
        let (output, sink) = AsyncStream.makeStream(of: String.self)
        let session = Session(
            try container.makeStore(), on: Console(showsMarks: isTerminal) { sink.yield($1) })
        let watching = Task { @MainActor in
            defer { sink.finish() }
            try await session.watch(
                Invocation(["watch", "year > 1960 ORDER BY title", "--times", "3"]))
        }
        var rest = output.makeAsyncIterator()
        /// The lines up to the one that counts the songs.
        func shown() async -> [String] {
            var lines: [String] = []
            while let line = await rest.next(isolation: #isolation) {
                lines += line.split(separator: "\n").map(String.init)
                if line.hasSuffix("songs.\n") || line.hasSuffix("song.\n") { break }
            }
            return lines
        }
        let clear = "\u{1B}[H\u{1B}[2J"
        func table(_ rows: String...) -> [String] {
            [
                "Row  Title  Artist  Album  Year  Time", "---  -----  ------  -----  ----  ----",
            ] + rows.map { $0 + String(repeating: " ", count: 21) + "1970  0:00" }
        }
        #expect(
            await shown() == (isTerminal ? [clear] : []) + table(" @2  A", " @3  B") + ["2 songs."])
        insert("C", 1970, in: writer)
        try writer.save()
        #expect(
            await shown() == (isTerminal ? [clear] + table(" @2  A", " @3  B", " @5  C") : [])
                + ["+ @5  \"C\", 1970", "3 songs."])
        songs[0].title = "D"
        try writer.delete(songs[1])
        try writer.save()
        #expect(
            await shown() == (isTerminal ? [clear] + table(" @5  C", " @2  D") : [])
                + ["- @3  \"B\", 1970", "~ @2  \"D\", 1970", "2 songs."])
        // Neither list nor lines change by what the query does not give.
        insert("Too old as well", 1959, in: writer)
        try writer.save()
        songs[0].year = 1960
        try writer.save()
        #expect(
            await shown() == (isTerminal ? [clear] + table(" @5  C") : [])
                + ["- @2  \"D\", 1970", "1 song."])
        try await watching.value
        #expect(await rest.next(isolation: #isolation) == nil)
    }

    @MainActor @Test func aWrongQueryOrNumberShowsNothing() async throws {
        let session = Session(try Store(inMemory: Library.classes), on: Transcript().console())
        for words in [["years > 1960"], ["year >"], ["", "--times", "-1"]] {
            await #expect(throws: (any Error).self) {
                try await session.watch(Invocation(["watch"] + words))
            }
        }
    }

    /// Where this process begins to write later, the other one has to read anew.
    @Test(arguments: [true, false])
    func anotherProcessShowsWhatThisOneSaves(writesFromTheBeginning: Bool) throws {
        let program = try #require(BuiltProgram.path("playlists"))
        try Place.temporary { place in
            var store = try Store(directory: place.store, classes: Library.classes)
            insert("Before", 1970, in: store)
            insert("Same", 1970, in: store)
            try store.save()
            if !writesFromTheBeginning { try store.close() }
            let (reader, pipe) = (Process(), Pipe())
            reader.executableURL = URL(filePath: program)
            reader.arguments = ["watch", "--times=1", "--store", place.store.path]
            reader.standardOutput = pipe
            try reader.run()
            // One that does not see the save would wait for ever.
            DispatchQueue.global().asyncAfter(deadline: .now() + 120) {
                if reader.isRunning { reader.terminate() }
            }
            var output = ""
            func read(until end: String) {
                while !output.hasSuffix(end) {
                    let data = pipe.fileHandleForReading.availableData
                    if data.isEmpty { return }
                    output += String(decoding: data, as: UTF8.self)
                }
            }
            read(until: "\n2 songs.\n")
            output = ""
            if !writesFromTheBeginning {
                store = try Store(directory: place.store, classes: Library.classes)
            }
            try #require(try store.object(Song.self, rowID: 2)).title = "After"
            insert("New", 1980, in: store)
            try store.save()
            read(until: "never")
            reader.waitUntilExit()
            #expect(reader.terminationStatus == 0)
            #expect(
                output.split(separator: "\n").sorted() == [
                    "+ @4  \"New\", 1980", "3 songs.", "~ @2  \"After\", 1970",
                ])
            try store.close()
        }
    }

    @discardableResult
    private func insert(_ title: String, _ year: UInt16, in store: Store) -> Song {
        let song = Song()
        song.title = title
        song.year = year
        store.insert(song)
        return song
    }
}
