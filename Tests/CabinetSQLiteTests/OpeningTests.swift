#if SQLite
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Foundation
    import Testing

    struct OpeningTests {
        @Test func aFileOfAnotherKindIsRefused() throws {
            let file = try SharedFile()
            try Data(repeating: 7, count: 5000).write(to: URL(filePath: file.path))
            for access in [Access.readWrite, .readOnly] {
                #expect(throws: BackendError.notAStore(path: file.path)) { try file.open(access) }
            }
            #expect(try Data(contentsOf: URL(filePath: file.path)).count == 5000)
            #expect(throws: BackendError.notAStore(path: file.directory.path)) {
                try SQLiteBackend(path: file.directory.path)
            }
            let elsewhere = try #require(URL(string: "https://example.org/x"))
            #expect(throws: BackendError.notAStore(path: "https://example.org/x")) {
                try SQLiteBackend(file: elsewhere)
            }
        }

        @Test func aDatabaseOfAnotherProgramIsRefused() throws {
            let file = try SharedFile()
            try file.run("CREATE TABLE songs (title TEXT)", "INSERT INTO songs VALUES ('Aria')")
            for access in [Access.readWrite, .readOnly] {
                #expect(throws: BackendError.notAStore(path: file.path)) { try file.open(access) }
            }
            #expect(try file.run("SELECT title FROM songs") == ["Aria"])
        }

        @Test func whatIsNotThereIsNotReadOrMade() throws {
            let file = try SharedFile()
            #expect(throws: BackendError.noStore(path: file.path)) { try file.open(.readOnly) }
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }

        @Test func aNewerFormatIsRefused() throws {
            let file = try SharedFile()
            try file.open().close()
            try file.run("PRAGMA user_version = 9")
            #expect(throws: BackendError.newerFormat(path: file.path, found: 9, known: 1)) {
                try file.open()
            }
        }

        @Test func aDamagedValueIsFoundWhenItIsRead() throws {
            let file = try SharedFile()
            let backend = try file.open()
            let table = try backend.makeTable(.record, "Song")
            let index = try backend.makeTable(.ordered, "Index")
            try backend.commit { batch in
                for row in 2..<5 as Range<RowID> { try batch.put([1, 2, 3], at: row, in: table) }
                try batch.put([1, 2, 3], for: [1], in: index)
            }
            try file.run(
                "UPDATE r_\(table) SET value = x'0102040506' WHERE row = 3",
                "UPDATE o_\(index) SET value = x'01'")
            func expectDamage(_ body: () throws -> Void) {
                #expect {
                    try body()
                } throws: { error in
                    guard case BackendError.engine("SQLite", let reason) = error else {
                        return false
                    }
                    return reason.contains(file.path) && reason.contains("damaged")
                }
            }
            #expect(try backend.value(of: 2, in: table) == [1, 2, 3])
            expectDamage { _ = try backend.value(of: 3, in: table) }
            expectDamage { _ = try backend.records(in: table).next(RecordRun()) }
            expectDamage { _ = try backend.value(forKey: [1], in: index) }
            #expect(try backend.presentRows(among: [2, 3, 9], in: table) == [2, 3])
        }

        @Test func aDamagedFileIsAnError() throws {
            let file = try SharedFile()
            let backend = try file.open()
            let table = try backend.makeTable(.record, "Song")
            try backend.commit { batch in
                for row in 2..<3000 as Range<RowID> {
                    try batch.put([UInt8](repeating: 5, count: 100), at: row, in: table)
                }
            }
            try backend.close()
            var bytes = try Data(contentsOf: URL(filePath: file.path))
            for place in 4096..<bytes.count where place % 7 == 0 { bytes[place] ^= 0x55 }
            try bytes.write(to: URL(filePath: file.path))
            #expect(throws: BackendError.self) {
                let backend = try file.open()
                let cursor = try backend.records(in: table)
                while try cursor.next(RecordRun()) {}
            }
        }

        /// As by a program that puts a backup back: no other backend would find what was saved then.
        @Test(arguments: ["", "-wal"], [true, false])
        func aFileThatWasReplacedTakesNoCommits(_ end: String, isMoved: Bool) throws {
            let file = try SharedFile()
            let backend = try file.open()
            let table = try backend.makeTable(.record, "Song")
            try backend.commit { try $0.put([1], at: 2, in: table) }
            let (path, away) = (file.path + end, file.path + ".away")
            if isMoved {
                try FileManager.default.moveItem(atPath: path, toPath: away)
            } else {
                try FileManager.default.copyItem(atPath: path, toPath: away)
                #expect(rename(away, path) == 0)
            }
            #expect(throws: BackendError.replaced(path: file.path)) {
                try backend.commit { try $0.put([2], at: 2, in: table) }
            }
            #expect(throws: BackendError.self) { try backend.reserveTable() }
            #expect(try backend.lastCommit() == 2)
            guard isMoved else { return }
            try FileManager.default.moveItem(atPath: away, toPath: path)
            try backend.commit { try $0.put([3], at: 2, in: table) }
            try backend.close()
            #expect(try file.open().value(of: 2, in: table) == [3])
        }

        /// A program that keeps the file to itself is waited for, as long as patience lasts.
        @Test func aFileThatAnotherProgramKeepsToItselfIsBusy() throws {
            let file = try SharedFile()
            let table = try file.open().makeTable(.record, "Song")
            let busy = BackendError.busy(path: file.path, holder: "")
            try file.whileLocked("PRAGMA locking_mode = EXCLUSIVE") {
                for access in [Access.readWrite, .readOnly] {
                    #expect(throws: busy) {
                        try file.open(access, patience: .milliseconds(20))
                    }
                }
            }
            let backend = try file.open(patience: .milliseconds(20))
            try backend.commit { try $0.put([1], at: 2, in: table) }
            #expect(try backend.value(of: 2, in: table) == [1])
        }

        @Test func aCopyBeginsALineOfItsOwn() throws {
            let file = try SharedFile()
            let backend = try file.open(durability: .full)
            let table = try backend.makeTable(.record, "Song")
            let position = try backend.position()
            try backend.close()
            let other = try SharedFile()
            try FileManager.default.copyItem(atPath: file.path, toPath: other.path)
            for place in [file, other] {
                let backend = try place.open(durability: .full)
                try backend.commit { try $0.put([1], at: 2, in: table) }
                #expect(try backend.lines().count == (place.path == file.path ? 1 : 2))
                // What both have made is known by its position.
                #expect(try backend.changes(after: position).next()?.number == position.commit.next)
                try backend.close()
            }
            let one = try file.open()
            let later = try one.position()
            #expect(throws: BackendError.changesGone(oldest: 0)) {
                try other.open().changes(after: later)
            }
        }

        @Test func commitsThatAPowerCutMayHaveTakenBackEndTheLine() throws {
            let file = try SharedFile()
            let backend = try file.open(durability: .process)
            let table = try backend.makeTable(.record, "Song")
            // As the machine leaves it that loses power now.
            try file.run("UPDATE store SET loose = 77")
            #expect(try backend.lines().count == 1)
            try backend.commit { try $0.put([1], at: 2, in: table) }
            #expect(try backend.lines().count == 2)
            try backend.sync()
            #expect(try file.run("SELECT loose FROM store") == ["0"])
            try backend.commit { try $0.put([2], at: 2, in: table) }
            #expect(try file.run("SELECT loose FROM store") != ["0"])
            try backend.close()
            #expect(try file.run("SELECT loose FROM store") == ["0"])
        }

        @Test func theFeedGivesUpTheOldestBeyondItsLimit() throws {
            let file = try SharedFile()
            let backend = try file.open(changesKept: 10_000)
            let table = try backend.makeTable(.record, "Song")
            for step in 0..<200 as Range<UInt8> {
                try backend.commit { batch in
                    try batch.put([UInt8](repeating: step, count: 200), at: 2, in: table)
                }
            }
            let size = try file.run("SELECT SUM(size) FROM commits")
            #expect(try file.run("SELECT feed_size FROM store") == size)
            #expect(Int(size[0]) ?? .max < 30_000)
            #expect(throws: BackendError.self) { try backend.changes(after: 1) }
            #expect(try backend.changes(after: 190).next()?.number == 191)
            try backend.commit { batch in
                try batch.put([UInt8](repeating: 1, count: 20_000), at: 2, in: table)
            }
            #expect(throws: BackendError.changesGone(oldest: 202)) {
                try backend.changes(after: 201)
            }
        }
    }
#endif
