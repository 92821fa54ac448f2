import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Opening, mapping, cutting and renaming of views fails, at every point of a scene: reads give
/// what was saved or a typed error, and nothing is lost.
struct ViewFaultTests {
    let directory = ScratchDirectory()

    private static let operations: Set<FaultyFiles.Operation> = [
        .open, .map, .openView, .truncate, .status, .rename, .reserve, .remove,
    ]

    struct Case: Hashable, Sendable, CustomTestStringConvertible {
        var fault: FaultyFiles.Fault
        /// How many operations fail, one after another.
        var length = 1
        var testDescription: String { "\(fault) × \(length)" }
    }

    /// Runs the scene in a new store while the operations from `first` on fail. Returns whether
    /// there were as many.
    private func run(_ test: Case, from first: Int) throws -> Bool {
        let place = directory.file("store")
        defer { try? FileManager.default.removeItem(atPath: place) }
        let reached = Guarded(0)
        let fault = test.fault
        let failing = first..<first + test.length
        let files = FaultyFiles(leastMap: 0) { _, operation, _ in
            guard Self.operations.contains(operation) else { return nil }
            let number = reached.withLock { number in
                defer { number += 1 }
                return number
            }
            return failing.contains(number) ? fault : nil
        }
        var scene = ViewScene()
        for saves in [3, 2] {
            var opened: TokyoBackend?
            for _ in 0...test.length where opened == nil {
                do { opened = try TokyoBackend(path: place, files: files) } catch {
                    try #require(Self.isExpected(error), "opening: \(error)")
                }
            }
            let backend = try #require(opened)
            for _ in 0..<saves {
                let before = scene.acknowledged
                for _ in 0...test.length where scene.acknowledged == before {
                    do { try scene.save(to: backend) } catch let error as BackendError {
                        try #require(Self.isExpected(error), "save \(before.next): \(error)")
                    }
                    try read(scene, backend)
                }
                if scene.acknowledged == before { break }
            }
            do { try backend.close() } catch {
                try #require(Self.isExpected(error), "closing: \(error)")
            }
        }
        files.replacePlan(nil)
        let again = try TokyoBackend(path: place, files: files)
        while scene.acknowledged < ViewScene.last { try scene.save(to: again) }
        try scene.check(again)
        try again.close()
        let last = try TokyoBackend(path: place)
        try scene.check(last)
        return reached.withLock { $0 > first }
    }

    /// Where more than one operation fails, a view may be unavailable for a while.
    private func read(_ scene: ViewScene, _ backend: TokyoBackend) throws {
        do { try scene.check(backend) } catch let error as BackendError {
            guard case .viewUnavailable = error else { throw error }
        }
    }

    private static func isExpected(_ error: BackendError) -> Bool {
        switch error {
        case .diskFull, .system, .logUnusable, .viewUnavailable: true
        default: false
        }
    }

    /// Those with one failure begin at different operations: together they fail at each.
    static let cases = [
        Case(fault: .error(EIO)), Case(fault: .error(EMFILE)), Case(fault: .error(ENOMEM)),
        Case(fault: .error(EMFILE), length: 2), Case(fault: .error(EIO), length: 7),
        Case(fault: .error(ENOSPC), length: 30), Case(fault: .doneButReported(EIO)),
    ]

    @Test(arguments: cases)
    func aViewThatCannotBeUsedForAMomentLosesNothing(_ test: Case) throws {
        var first = (Self.cases.firstIndex(of: test) ?? 0) % 3
        while try run(test, from: first) { first += 3 }
        #expect(first > 60)
    }

    /// What fails for good, as descriptors do that a program leaks.
    @Test(arguments: [FaultyFiles.Operation.open, .map, .openView, .truncate])
    func aViewThatCannotBeUsedAnyMoreGivesATypedError(
        _ operation: FaultyFiles.Operation
    ) throws {
        for saves in 1..<ViewScene.last.index {
            let place = directory.file("store\(saves)")
            let files = FaultyFiles(leastMap: 0)
            let backend = try TokyoBackend(path: place, files: files)
            var scene = ViewScene()
            for _ in 0..<saves { try scene.save(to: backend) }
            files.replacePlan { _, now, _ in now == operation ? .error(EMFILE) : nil }
            for _ in 0..<3 {
                _ = try? scene.save(to: backend)
                try read(scene, backend)
                if scene.acknowledged == ViewScene.last { break }
            }
            try? backend.close()
            files.replacePlan(nil)
            let again = try TokyoBackend(path: place, files: files)
            try scene.check(again)
            while scene.acknowledged < ViewScene.last { try scene.save(to: again) }
            try scene.check(again)
            try again.close()
        }
    }
}
