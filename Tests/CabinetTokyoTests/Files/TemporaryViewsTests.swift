import CLibrary
import CabinetBackend
import Dispatch
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What is kept beside stores, in the temporary directory, and goes with the process.
struct TemporaryViewsTests {
    private let scratch = ScratchDirectory()
    private let files = SystemFiles()
    private var place: Place { Place(base: scratch.path) }
    private var parent: String { place.parent }

    private struct Place: Sendable {
        let base: String
        let files = SystemFiles()
        var parent: String { base + "/cabinet-\(geteuid())" }

        func make() throws -> TemporaryViews {
            let views = TemporaryViews(at: files, below: base)
            try views.make()
            return views
        }

        func sweep() { TemporaryViews.sweep(files, below: base, log: .none) }

        func fill(_ directory: String) throws {
            try files.makeDirectory(directory)
            try files.makeDirectory(directory + "/Journal")
            for name in ["Song", "Journal/Catalog"] {
                let file = try files.open(directory + "/" + name, for: .creating)
                try files.write([1, 2, 3], to: file, at: 0)
            }
        }

        func isThere(_ path: String) throws -> Bool { try files.status(of: path) != nil }

        func leave(_ round: Int) throws {
            sweep()
            // Others may be removing it, or what it is in.
            if round % 20 == 0 { try? fill(parent + "/views-00000000000000aa") }
        }

        func use(_ round: Int) throws {
            let views = try make()
            let file = views.directory + "/Song"
            try files.write([1], to: files.open(file, for: .creating), at: 0)
            sweep()
            #expect(try isThere(file), "round \(round)")
            withExtendedLifetime(views) {}
        }
    }

    private func make() throws -> TemporaryViews { try place.make() }
    private func sweep() { place.sweep() }
    private func fill(_ directory: String) throws { try place.fill(directory) }
    private func isThere(_ path: String) throws -> Bool { try place.isThere(path) }

    @Test func whatNoLivingProcessHoldsIsRemovedAndNothingElse() throws {
        let held = try make()
        try fill(held.directory + "/inner")
        let outside = scratch.file("outside")
        try fill(outside)
        let left = parent + "/views-00000000000000aa"
        try fill(left)
        #expect(symlink(outside, left + "/link") == 0)
        let others = [
            "views-00000000000000AA", "views-aa", "views-00000000000000aa0", "Song",
            "view-00000000000000aa", "views-00000000000000zz",
        ].map { parent + "/" + $0 }
        for other in others { try fill(other) }
        #expect(symlink(outside, parent + "/views-00000000000000bb") == 0)
        try files.write(
            [1], to: files.open(parent + "/views-00000000000000cc", for: .creating), at: 0)
        try fill(scratch.file("views-00000000000000dd"))
        for _ in 0..<2 { sweep() }
        #expect(try !isThere(left))
        for path in others + [held.directory + "/inner"] {
            #expect(try isThere(path + "/Journal/Catalog"), "\(path)")
        }
        #expect(try isThere(parent + "/views-00000000000000bb"))
        #expect(try isThere(parent + "/views-00000000000000cc"))
        #expect(try isThere(scratch.file("views-00000000000000dd/Song")))
        #expect(try isThere(outside + "/Journal/Catalog") && isThere(outside + "/Song"))
        withExtendedLifetime(held) {}
    }

    @Test func nothingStaysBehindItsUser() throws {
        var views: TemporaryViews? = try make()
        let directory = try #require(views?.directory)
        try files.makeDirectory(directory + "/Journal")
        try files.write([1], to: files.open(directory + "/Journal/a", for: .creating), at: 0)
        let second = try make()
        views = nil
        #expect(try files.list(parent) == [String(second.directory.dropFirst(parent.count + 1))])
        withExtendedLifetime(second) {}
    }

    /// Another user could put files into it, or read what is in it.
    @Test func aDirectoryThatOthersMayUseIsRefused() throws {
        try files.makeDirectory(parent)
        #expect(chmod(parent, 0o755) == 0)
        try fill(parent + "/views-00000000000000aa")
        #expect(throws: BackendError.accessDenied(path: parent)) { _ = try make() }
        sweep()
        #expect(try isThere(parent + "/views-00000000000000aa"))
        #expect(rename(parent, scratch.file("aside")) == 0)
        #expect(symlink(scratch.file("aside"), parent) == 0)
        #expect(chmod(scratch.file("aside"), 0o700) == 0)
        #expect(throws: BackendError.accessDenied(path: parent)) { _ = try make() }
        sweep()
        #expect(try isThere(scratch.file("aside/views-00000000000000aa")))
    }

    /// A directory that is being made looks, until it is locked, like one that was left.
    @Test func whatIsBeingMadeIsNotLost() throws {
        let rounds = RunSetting.repetitions(400)
        let place = place
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<rounds {
                do {
                    try thread == 0 ? place.leave(round) : place.use(round)
                } catch {
                    Issue.record("round \(round): \(error)")
                }
            }
        }
        sweep()
        #expect(try files.list(scratch.path).isEmpty)
    }
}
