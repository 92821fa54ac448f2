import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Each operation on files fails once, or is the last one of its process.
struct StoreFileFaultTests {
    enum Call: String, CaseIterable {
        case open, save, move, duplicate, revert, close
    }

    /// Tries the faults of `fault` at one operation after the other, until the call is through before it.
    private func run(
        _ call: Call, _ fault: FaultyFiles.Fault, inPackages hasPackages: Bool = false
    ) throws {
        var operation = 0
        while true {
            if RunSetting.isTurn(of: operation) || operation == 0 {
                guard try isReached(call, fault, operation, hasPackages) else { return }
            }
            operation += 1
            try #require(operation < 2_000)
        }
    }

    /// The store has an edit "one", which the file has not, when `call` begins.
    private func isReached(
        _ call: Call, _ fault: FaultyFiles.Fault, _ operation: Int, _ hasPackages: Bool
    ) throws -> Bool {
        let scene = DocumentScene(hasPackages: hasPackages)
        let second = scene.path(of: "B.cabinet")
        try scene.makeFile()
        let files = FaultyFiles()
        let plan: FaultyFiles.Plan = { index, _, _ in index == operation ? fault : nil }
        var isDone = false
        var isReached = false
        do {
            var opened: WorkingStore.Opened? = try scene.open()
            if let working = opened?.working { try scene.edit(working, "one") }
            try opened?.working.finish(discarding: false)
            opened = nil
            if call == .open { files.replacePlan(plan) }
            let working = try scene.open(files: files).working
            if call != .open { files.replacePlan(plan) }
            switch call {
            case .open: break
            case .save: try working.save([])
            case .move: try working.move(to: second, [])
            case .duplicate: try working.duplicate(to: second, [])
            case .revert:
                let former = working.backend
                _ = try working.revert()
                try? former.close()
                try? working.endFormer()
            case .close: try working.finish(discarding: false)
            }
            isReached = files.count > operation
            isDone = true
            files.replacePlan(nil)
            if call != .close, fault != .killed { try working.finish(discarding: false) }
        } catch {
            isReached = true
            #expect(!(error is CancellationError))
            if fault != .killed { files.replacePlan(nil) }
        }
        try verify(scene, second, call, isDone, "\(call), \(fault) at \(operation)")
        return isReached
    }

    /// What the next program finds.
    private func verify(
        _ scene: DocumentScene, _ second: String, _ call: Call, _ isDone: Bool, _ what: String
    ) throws {
        let first = try scene.savedEdit()
        let copy = scene.isThere(second) ? try scene.savedEdit(second) : nil
        #expect([nil, "one"].contains(first), "\(what)")
        if scene.isThere(second) { #expect(copy == "one", "\(what)") }
        switch call {
        case .save: if isDone { #expect(first == "one", "\(what)") }
        case .move, .duplicate:
            #expect(first == nil, "\(what)")
            if isDone { #expect(copy == "one", "\(what)") }
        case .open, .revert, .close: #expect(first == nil, "\(what)")
        }
        let opened = try scene.open()
        let edit = try scene.edit(opened.working)
        // The edit is in the store again, unless it is in a file that the store has moved to, or dropped.
        let isGone = call == .revert || call == .move && copy == "one"
        if !isGone || (call == .revert && !isDone && opened.unsaved != nil) {
            #expect(edit == "one", "\(what)")
        }
        #expect((opened.unsaved != nil) == (edit == "one" && first == nil), "\(what)")
        #expect(try opened.working.standing() == .same, "\(what)")
        try opened.working.save([])
        #expect(try scene.savedEdit() == edit, "\(what)")
        try opened.working.finish(discarding: false)
        if scene.isThere(second) {
            let other = try scene.open(second)
            #expect(try scene.edit(other.working) == "one", "\(what)")
            try other.working.finish(discarding: false)
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: scene.directory.path)
            .filter { $0.contains(".cabinet-") }
        #expect(left == [], "\(what)")
        #expect(try scene.workingCount == 0, "\(what)")
    }

    @Test(arguments: Call.allCases, [false, true])
    func aKilledProgramLeavesTheFormerOrTheNewFile(_ call: Call, _ hasPackages: Bool) throws {
        try run(call, .killed, inPackages: hasPackages)
    }

    @Test(arguments: Call.allCases, [false, true])
    func aFailingDiskLeavesTheFormerOrTheNewFile(_ call: Call, _ hasPackages: Bool) throws {
        try run(call, .error(EIO), inPackages: hasPackages)
    }

    @Test(arguments: Call.allCases)
    func aFullDiskLeavesTheFormerOrTheNewFile(_ call: Call) throws {
        try run(call, .shortWrite(ENOSPC))
    }

    @Test(arguments: [Call.save, .move, .duplicate])
    func whatWasDoneAndReportedAsFailedIsTakenUp(_ call: Call) throws {
        try run(call, .doneButReported(EIO))
    }
}
