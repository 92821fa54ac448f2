#if SQLite
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Foundation
    import Testing
    import TrustSupport

    /// On a real disk that is really full.
    @Suite(.enabled(if: SmallDisk.isPossible, "No file system may be mounted here."))
    struct SQLiteFullDiskTests {
        @Test(arguments: [300, 5000])
        func aFullDiskFailsTheSaveAndNothingElse(size: Int) throws {
            let disk = try #require(SmallDisk(size: 6 << 20))
            let ballast = disk.path + "/ballast"
            try Data(count: 2 << 20).write(to: URL(filePath: ballast))
            let path = disk.path + "/Store.sqlite"
            let backend = try SQLiteBackend(path: path, durability: .process)
            let table = try backend.makeTable(.record, "Song")
            var made = 0
            func add() throws {
                let value = [UInt8](repeating: UInt8(made % 251), count: size)
                try backend.commit { batch in
                    for row in 0..<10 {
                        try batch.put(value, at: RowID(UInt32(2 + made * 10 + row)), in: table)
                    }
                    // What was there is kept, too.
                    try batch.put(value, at: 2, in: table)
                }
                made += 1
            }
            func expectWhole(_ backend: SQLiteBackend) throws {
                #expect(try backend.count(of: table) == made * 10)
                let cursor = try backend.records(in: table)
                let run = RecordRun()
                var rows = 0
                while try cursor.next(run) {
                    while let (row, value) = run.next() {
                        let step = row == 2 ? made - 1 : (row.index - 2) / 10
                        #expect(value.count == size && value[0] == UInt8(step % 251))
                        rows += 1
                    }
                }
                #expect(rows == made * 10)
            }
            #expect(throws: BackendError.diskFull(path: path, needed: 0)) {
                for _ in 0..<10_000 { try add() }
            }
            #expect(made > 3)
            try expectWhole(backend)
            #expect(throws: BackendError.diskFull(path: path, needed: 0)) {
                for _ in 0..<10_000 { try add() }
            }
            try expectWhole(SQLiteBackend(path: path, access: .readOnly))
            try FileManager.default.removeItem(atPath: ballast)
            try add()
            try expectWhole(backend)
            try backend.close()
            try expectWhole(SQLiteBackend(path: path, access: .readOnly))
        }
    }
#endif
