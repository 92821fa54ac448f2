#if Encryption
    import Cabinet
    import Foundation
    import Testing
    import TrustSupport

    struct SealedFileTests {
        private static let key = StoreKey.raw(Array(1...32))
        private static let other = StoreKey.raw(Array(2...33))
        private static let text = "a text that nobody is to read"
        private static let title = "a title of the document"

        private func make(_ desk: Desk, showing: Bool = false) throws {
            let file = try desk.open()
            file.store.insert(NotePage(1, Self.text))
            file.metadata.title = Self.title
            file.showsMetadata = showing
            try file.save()
            // Left unsaved, so that there is a working directory.
            file.store.insert(NotePage(2, Self.text))
            try file.store.save()
            try file.close()
        }

        /// How often the texts stand in the file and in the working directory.
        private func findings(_ desk: Desk) throws -> (text: Int, title: Int) {
            var found = (text: 0, title: 0)
            let root = desk.directory.path
            for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
                guard let data = FileManager.default.contents(atPath: root + "/" + name) else {
                    continue
                }
                if data.range(of: Data(Self.text.utf8)) != nil { found.text += 1 }
                if data.range(of: Data(Self.title.utf8)) != nil { found.title += 1 }
            }
            return found
        }

        @Test func nothingOfASealedDocumentStandsInAnyFile() throws {
            let open = Desk()
            try make(open)
            #expect(try findings(open).text > 1)
            #expect(try findings(open).title == 1)
            let desk = Desk(key: Self.key)
            try make(desk)
            #expect(try findings(desk) == (0, 0))
            #expect(throws: BackendError.keyNeeded(path: desk.url().path())) {
                try StoreFile.metadata(of: desk.url())
            }
            #expect(try StoreFile.metadata(of: desk.url(), key: Self.key).title == Self.title)
            let file = try desk.open()
            #expect(file.isEncrypted)
            #expect(file.unsavedEdits != nil)
            #expect(try Desk.pages(in: file.store) == [1: Self.text, 2: Self.text])
            #expect(file.metadata.title == Self.title)
            try file.save()
            try file.close()
            #expect(try desk.pages() == [1: Self.text, 2: Self.text])
        }

        @Test func metadataAreShownWhereTheDocumentSaysSo() throws {
            let desk = Desk(key: Self.key)
            try make(desk, showing: true)
            #expect(try findings(desk) == (0, 1))
            #expect(try StoreFile.metadata(of: desk.url()).title == Self.title)
            let file = try desk.open()
            #expect(file.showsMetadata)
            file.showsMetadata = false
            #expect(file.isEdited)
            try file.save()
            try file.close()
            #expect(try findings(desk) == (0, 0))
        }

        @Test func aDocumentOpensWithItsKeyAlone() throws {
            for hasEdits in [true, false] {
                let desk = Desk(key: Self.key)
                try make(desk)
                if !hasEdits { try desk.open().close(discardingEdits: true) }
                let path = desk.url().path()
                var wrong = desk
                wrong.key = Self.other
                #expect(throws: BackendError.wrongKey(path: path)) { try wrong.open() }
                wrong.key = nil
                #expect(throws: BackendError.keyNeeded(path: path)) { try wrong.open() }
                #expect(try desk.pages() == [1: Self.text])
            }
            var desk = Desk()
            try desk.open().save()
            desk.key = Self.key
            #expect(throws: BackendError.notEncrypted(path: desk.url().path())) {
                try desk.open()
            }
        }

        @Test func aNewKeyOpensTheFileAndTheFormerDoesNot() throws {
            var desk = Desk(key: Self.key)
            try make(desk)
            let file = try desk.open()
            try file.rotateKey(to: Self.other)
            file.store.insert(NotePage(3, "three"))
            try file.store.save()
            try file.revert()
            #expect(try Desk.pages(in: file.store) == [1: Self.text, 2: Self.text])
            try file.close()
            #expect(throws: BackendError.wrongKey(path: desk.url().path())) { try desk.open() }
            desk.key = Self.other
            #expect(try desk.pages() == [1: Self.text, 2: Self.text])
        }

        /// Contents of documents that a framework reads and writes.
        /// Once, the file stayed on the former key, and nothing said so.
        @Test func aNewKeyThatDidNotReachTheFileCountsAsAnEdit() throws {
            var desk = Desk(key: Self.key)
            try make(desk)
            var file = try desk.open()
            try file.save()
            #expect(!file.isEdited)
            let own = try #require(
                try FileManager.default.contentsOfDirectory(atPath: desk.url("Working").path())
                    .first { $0 != "Lock" })
            // The new file cannot be written.
            let blocked = desk.url(".cabinet-\(own).new")
            try FileManager.default.createDirectory(
                at: blocked.appending(path: "a"), withIntermediateDirectories: true)
            #expect(throws: BackendError.self) { try file.rotateKey(to: Self.other) }
            // As after a crash.
            file = try Desk().open()
            try? FileManager.default.removeItem(at: blocked)
            #expect(throws: BackendError.wrongKey(path: desk.url().path())) { try desk.open() }
            desk.key = Self.other
            file = try desk.open()
            #expect(file.isEdited && file.unsavedEdits == nil)
            try file.save()
            #expect(!file.isEdited)
            try file.close()
            file = try desk.open()
            #expect(!file.isEdited)
            try file.close()
        }

        @Test func bytesOfADocumentAreSealed() throws {
            let desk = Desk(key: Self.key)
            let file = try StoreFile(
                contents: Data(), classes: [NotePage.self], key: Self.key,
                workingDirectory: desk.url("Working"), log: .none)
            file.store.insert(NotePage(1, Self.text))
            let bytes = try file.contents()
            #expect(bytes.range(of: Data(Self.text.utf8)) == nil)
            try file.close()
            let again = try StoreFile(
                contents: bytes, classes: [NotePage.self], key: Self.key,
                workingDirectory: desk.url("Working"), log: .none)
            #expect(try Desk.pages(in: again.store) == [1: Self.text])
            try again.close()
        }

        /// Each byte of what is in front of the content, and some of the content.
        @Test func aDamagedFileGivesWhatItHeldOrAnError() throws {
            let desk = Desk(key: Self.key)
            let file = try desk.open()
            for number in 1...200 { file.store.insert(NotePage(number, Self.text)) }
            file.metadata.title = Self.title
            try file.save()
            try file.close()
            let bytes = try Data(contentsOf: desk.url())
            var random = SeededRandom(seed: RunSetting.seed)
            var salvaged = 0
            for place in RunSetting.firstTurn..<bytes.count
            where place % RunSetting.share == RunSetting.firstTurn
                && (place < 500 || random.once(in: 40))
            {
                var changed = bytes
                changed[place] ^= 1 << UInt8(random.below(8))
                try changed.write(to: desk.url())
                do {
                    let file = try desk.open(creating: false, discarding: true)
                    let pages = try Desk.pages(in: file.store)
                    #expect(pages.values.allSatisfy { $0 == Self.text }, "byte \(place)")
                    #expect(pages.count == 200 || !file.damage.isEmpty, "byte \(place)")
                    if !file.damage.isEmpty, pages.count == 200 { salvaged += 1 }
                    try file.close(discardingEdits: true)
                } catch {
                    // Where the catalog is lost, records cannot be read.
                    #expect(
                        error is BackendError || error is StoreError,
                        "byte \(place): \(error)")
                }
            }
            #expect(salvaged > 0)
        }
    }
#endif
