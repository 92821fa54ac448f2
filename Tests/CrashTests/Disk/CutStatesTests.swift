import CabinetTokyo
import Testing
import TrustSupport

/// The states are counted and named by hand here: what a power cut may do is the premise of all
/// that the power-cut tests show.
struct CutStatesTests {
    typealias Event = RecordingFiles.Event

    private func states(_ events: [Event], after operations: Int? = nil) throws -> Set<String> {
        var result: Set<String> = []
        let recording = Recording(root: "/s", events: events)
        try CutStates(recording, seed: 1).visit { state in
            guard state.operations == operations ?? events.count else { return }
            #expect(state.isExhaustive)
            result.insert(describe(state.image))
        }
        return result
    }

    /// "path=sizes of runs" of every file, for instance "a=512xA,512x0".
    private func describe(_ image: DiskImage) -> String {
        let files = image.files.sorted { $0.key < $1.key }.map { path, file in
            let bytes = file.bytes
            let sectors = stride(from: 0, to: bytes.count, by: 512).map { start in
                bytes[start] == 0 ? "0" : String(UnicodeScalar(bytes[start]))
            }
            return "\(path)=\(sectors.joined())"
        }
        return (image.directories.sorted().map { $0 + "/" } + files).joined(separator: " ")
    }

    private func open(_ file: Int, _ path: String) -> Event {
        .open(file: file, path: path, created: true, emptied: false)
    }

    private func write(_ file: Int, _ text: Character, at offset: UInt64, _ count: Int) -> Event {
        let byte = text.asciiValue ?? 0
        return .write(file: file, offset: offset, bytes: [UInt8](repeating: byte, count: count))
    }

    @Test func aNameIsThereForCertainOnlyOnceItsDirectoryIsSynced() throws {
        let events = [open(0, "/s/a"), .sync(file: 0), .syncDirectory(path: "/s")]
        #expect(try states(events, after: 2) == ["", "a="])
        #expect(try states(events) == ["a="])
    }

    @Test func aWriteIsKeptLostOrTornUntilItIsSynced() throws {
        let events = [
            open(0, "/s/a"), .syncDirectory(path: "/s"), write(0, "A", at: 0, 1024),
            .sync(file: 0),
        ]
        // The last three: the size without what it makes room for, in one sector or both.
        #expect(try states(events, after: 3) == ["a=", "a=AA", "a=A", "a=0A", "a=00", "a=A0"])
        #expect(try states(events) == ["a=AA"])
    }

    @Test func writesToTwoFilesReachTheDiskInAnyOrder() throws {
        let events = [
            open(0, "/s/a"), open(1, "/s/b"), .syncDirectory(path: "/s"),
            write(0, "A", at: 0, 512), write(1, "B", at: 0, 512), .sync(file: 1),
        ]
        let some = try states(events, after: 5)
        #expect(some.isSuperset(of: ["a= b=", "a=A b=", "a= b=B", "a=A b=B"]))
        #expect(try states(events) == ["a= b=B", "a=0 b=B", "a=A b=B"])
    }

    @Test func aLaterWriteMayBeThereWithoutAnEarlierOne() throws {
        let events = [
            open(0, "/s/a"), .syncDirectory(path: "/s"), write(0, "A", at: 0, 512),
            .sync(file: 0), write(0, "B", at: 0, 512), write(0, "C", at: 512, 512),
        ]
        #expect(try states(events) == ["a=A", "a=B", "a=A0", "a=B0", "a=AC", "a=BC"])
    }

    @Test func aRenameIsWholeOrNotAtAll() throws {
        let events: [Event] = [
            open(0, "/s/new"), write(0, "A", at: 0, 512), .sync(file: 0),
            .syncDirectory(path: "/s"), .rename(path: "/s/new", newPath: "/s/name"),
            .syncDirectory(path: "/s"),
        ]
        #expect(try states(events, after: 5) == ["new=A", "name=A"])
        #expect(try states(events) == ["name=A"])
    }

    @Test func aRenameWithoutASyncMayLoseTheContentAndKeepTheName() throws {
        let events: [Event] = [
            open(0, "/s/a"), write(0, "A", at: 0, 512), .sync(file: 0),
            .syncDirectory(path: "/s"), open(1, "/s/b"), write(1, "B", at: 0, 512),
            .rename(path: "/s/b", newPath: "/s/a"),
        ]
        let found = try states(events)
        #expect(found.isSuperset(of: ["a=A", "a=", "a=B", "a=A b=", "a=A b=B"]))
    }

    @Test func aRemovedFileMayComeBack() throws {
        let events: [Event] = [
            open(0, "/s/a"), .syncDirectory(path: "/s"), .remove(path: "/s/a"),
            .syncDirectory(path: "/s"),
        ]
        #expect(try states(events, after: 3) == ["a=", ""])
        #expect(try states(events) == [""])
    }

    @Test func aDirectoryIsLostWithAllThatIsInIt() throws {
        let events: [Event] = [
            .makeDirectory(path: "/s/d"), open(0, "/s/d/a"), .syncDirectory(path: "/s/d"),
            .syncDirectory(path: "/s"),
        ]
        #expect(try states(events, after: 3) == ["", "d/ d/a="])
        #expect(try states(events) == ["d/ d/a="])
    }

    @Test func aCutFileMayBeLongAgainButASyncedOneIsNot() throws {
        let events: [Event] = [
            open(0, "/s/a"), .syncDirectory(path: "/s"), write(0, "A", at: 0, 1024),
            .sync(file: 0), .truncate(file: 0, size: 512), .sync(file: 0),
        ]
        #expect(try states(events, after: 5) == ["a=AA", "a=A"])
        #expect(try states(events) == ["a=A"])
    }
}
