import Cabinet
import Foundation
import Testing
import TrustSupport

/// Random calls of a document, crashes and other programs, compared with plain dictionaries.
struct StoreFileModelTests {
    /// A document and what must be in it.
    private final class Model {
        let desk: Desk
        var random: SeededRandom
        var file: StoreFile
        var name = "A"
        /// What each file has; `nil`: there is none.
        var files: [String: [Int: String]] = [:]
        /// What is saved to the store, and what is pending too.
        var stored: [Int: String] = [:]
        var pending: [Int: String] = [:]
        /// Whether another program has put something else in the place of the file, or removed it.
        var isForeign = false
        var isNew = true
        var steps: [String] = []

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            desk = Desk(key: Self.key(seed), hasPackages: (seed / 2).isMultiple(of: 2))
            file = try desk.open("A")
        }

        /// Every other document is sealed, where it can be.
        private static func key(_ seed: UInt64) -> StoreKey? {
            StoreUnderTest.sealings.contains(true) && seed.isMultiple(of: 2)
                ? .raw(Array(1...32)) : nil
        }

        func step() throws {
            let choice = random.below(20)
            steps.append("\(choice)")
            switch choice {
            case 0...6: try edit()
            case 7, 8:
                try file.store.save()
                stored = pending
            case 9, 10, 11: try save()
            case 12: try saveAs()
            case 13: try revert()
            case 14: try crash()
            case 15: try close()
            case 16: try meddle()
            case 17: try duplicate()
            default:
                file.store.rollback()
                pending = stored
            }
            try compare()
        }

        private func edit() throws {
            let number = random.below(8)
            let text = "\(random.below(1000))"
            let found = try file.store.query(NotePage.self).filter { $0.number == number }.first()
            if let found, random.once(in: 3) {
                try file.store.delete(found)
                pending[number] = nil
            } else if let found {
                found.text = text
                pending[number] = text
            } else {
                file.store.insert(NotePage(number, text))
                pending[number] = text
            }
        }

        private func save() throws {
            let overwrites = random.once(in: 2)
            do {
                try file.save(overwriting: overwrites)
                #expect(!isForeign || overwrites, "\(steps)")
                files[name] = pending
                (isForeign, isNew) = (false, false)
            } catch StoreError.fileChanged, StoreError.fileMissing {
                #expect(isForeign && !overwrites, "\(steps)")
            }
            stored = pending
        }

        private func saveAs() throws {
            let target = ["A", "B", "C"][random.below(3)]
            if target == name { return try save() }
            let overwrites = random.once(in: 2)
            let hadFile = files[target] != nil
            do {
                try file.save(as: desk.url(target), overwriting: overwrites)
                #expect(!hadFile || overwrites, "\(steps)")
                name = target
                files[name] = pending
                (isForeign, isNew) = (false, false)
            } catch BackendError.system, StoreError.unsavedEdits {
                #expect(!overwrites, "\(steps)")
            }
            stored = pending
        }

        private func duplicate() throws {
            let target = name + "copy"
            try file.duplicate(to: desk.url(target), overwriting: true)
            stored = pending
            #expect(try desk.pages(in: target) == pending, "\(steps)")
            try FileManager.default.removeItem(at: desk.url(target))
        }

        private func revert() throws {
            do {
                try file.revert()
                stored = files[name] ?? [:]
                pending = stored
                (isForeign, isNew) = (false, false)
            } catch StoreError.fileMissing, StoreError.noFile {
                #expect(files[name] == nil, "\(steps)")
            }
        }

        private var isEdited: Bool { stored != files[name] ?? [:] || pending != stored }

        private func crash() throws {
            pending = stored
            file = try Desk().open("Elsewhere")
            try reopen()
        }

        private func close() throws {
            let discards = random.once(in: 3)
            file.store.rollback()
            pending = stored
            try file.close(discardingEdits: discards)
            if discards {
                stored = files[name] ?? [:]
                pending = stored
                (isForeign, isNew) = (false, files[name] == nil)
            }
            try reopen()
        }

        private func reopen() throws {
            let discards = random.once(in: 4)
            file = try desk.open(name, discarding: discards)
            let found = try Desk.pages(in: file.store)
            if file.unsavedEdits == nil {
                // What was in the store was in the file, or was to be discarded.
                #expect(found == files[name] ?? [:], "\(steps)")
                (isForeign, isNew) = (false, files[name] == nil)
                stored = found
            } else {
                #expect(!discards, "\(steps)")
                #expect(found == stored, "\(steps)")
            }
            pending = stored
        }

        /// What another program does to the file.
        private func meddle() throws {
            guard files[name] != nil else { return }
            let isWhole = !desk.hasPackages || random.once(in: 2)
            try FileManager.default.removeItem(
                at: isWhole ? desk.url(name) : desk.url(name).appending(path: "Content.storefile"))
            files[name] = nil
            isForeign = true
            if !isWhole { return }
            if random.once(in: 2) {
                let other = try desk.open("Z")
                let text = "\(random.below(1000))"
                for page in try other.store.objects(of: NotePage.self) {
                    try other.store.delete(page)
                }
                other.store.insert(NotePage(3, text))
                try other.save()
                try other.close()
                try FileManager.default.copyItem(at: desk.url("Z"), to: desk.url(name))
                files[name] = [3: text]
            }
        }

        private func compare() throws {
            #expect(try Desk.pages(in: file.store) == pending, "\(steps)")
            for (name, pages) in files {
                #expect(try desk.pages(in: name) == pages, "\(name), \(steps)")
            }
            // An edit that was made and taken back counts.
            if isEdited, !isForeign { #expect(file.isEdited, "\(steps)") }
        }
    }

    @Test(arguments: RunSetting.seeds(64))
    func aDocumentIsWhatItsModelIs(_ seed: UInt64) throws {
        let model = try Model(seed: seed)
        for _ in 0..<60 {
            do { try model.step() } catch {
                Issue.record("seed \(seed): \(error) in \(model.steps)")
                return
            }
        }
        try model.file.close(discardingEdits: true)
    }
}
