import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Every call to the file system fails once, at every point of a scenario, in each of several
/// ways: what was acknowledged stays, what failed is not seen, and when the fault has passed the
/// same changes can be saved.
struct FaultTests {
    let directory = ScratchDirectory()

    static let faults: [(FaultyFiles.Fault, Durability)] = [
        (.error(EIO), .full), (.error(ENOSPC), .process), (.shortWrite(ENOSPC), .full),
        (.doneButReported(EIO), .full), (.doneButReported(EIO), .process),
    ]

    private func save(_ number: Int, _ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        if try backend.tables().isEmpty {
            try batch.define(.song)
            try batch.define(.byTitle)
        }
        let text = String(repeating: "save \(number) ", count: 40)
        for row in 2..<12 as Range<RowID> { try batch.put(text, at: row, in: 2) }
        try batch.put(text, at: RowID(100).advanced(by: number), in: 2)
        try batch.put("\(number)", forKey: "total", in: .namedBuffers)
        try batch.put("\(number)", forKey: "key \(number)", in: 3)
        try backend.commit(batch)
    }

    /// Which save the store shows, all tables agreeing.
    private func state(_ backend: TokyoBackend) throws -> Int {
        let total = try backend.text(forKey: "total", in: .namedBuffers).flatMap { Int($0) } ?? 0
        let text = String(repeating: "save \(total) ", count: 40)
        for row in 2..<12 as Range<RowID> where total > 0 {
            #expect(try backend.text(at: row, in: 2) == text)
        }
        #expect(try backend.count(of: 2) == (total == 0 ? 0 : 10 + total))
        #expect(try backend.keys(in: 3) == (0..<total).map { "key \($0 + 1)" })
        return total
    }

    @Test(arguments: faults)
    func aFaultAtAnyPointLosesNothing(
        _ fault: FaultyFiles.Fault, _ durability: Durability
    ) throws {
        var index = RunSetting.firstTurn
        var isBeyond = false
        while !isBeyond {
            let limit = index
            let place = directory.file("store\(index)")
            let files = FaultyFiles { number, _, _ in number == limit ? fault : nil }
            let opened = try? TokyoBackend(path: place, durability: durability, files: files)
            let backend =
                try opened ?? TokyoBackend(path: place, durability: durability, files: files)
            var acknowledged: Int = 0
            for number in 1...4 {
                // What fails is tried again, as its caller would.
                for _ in 0..<2 where acknowledged < number {
                    let result = Result { try save(number, backend) }
                    if case .success = result { acknowledged = number }
                    #expect(try state(backend) == acknowledged)
                }
                try? backend.sync()
            }
            #expect(acknowledged == 4)
            let killed = directory.file("killed\(index)")
            try FileManager.default.copyItem(atPath: place, toPath: killed)
            try? backend.close()
            isBeyond = files.count <= limit
            for copy in [place, killed] {
                let again = try TokyoBackend(path: copy, durability: durability)
                #expect(try state(again) == acknowledged)
                try save(5, again)
                #expect(try state(again) == 5)
                try again.close()
                try FileManager.default.removeItem(atPath: copy)
            }
            index += RunSetting.share
        }
        #expect(index > 20)
    }

    /// The layer goes dead at any point, as if the process had been killed there; what it had
    /// written is what the next one finds.
    @Test(arguments: [Durability.full, .process])
    func aKillAtAnyPointLosesNothing(_ durability: Durability) throws {
        var index = 0
        var isBeyond = false
        while !isBeyond {
            let limit = index
            let place = directory.file("store\(index)")
            let files = FaultyFiles { number, _, _ in number == limit ? .killed : nil }
            var acknowledged: Int = 0
            var backend = try? TokyoBackend(path: place, durability: durability, files: files)
            if let backend {
                for number in 1...3 {
                    guard (try? save(number, backend)) != nil else { break }
                    acknowledged = number
                }
                try? backend.close()
            }
            isBeyond = files.count <= limit
            backend = nil
            let again = try TokyoBackend(path: place, durability: durability)
            let found = try state(again)
            #expect(found == acknowledged || found == acknowledged + 1)
            try save(found + 1, again)
            #expect(try state(again) == found + 1)
            try again.close()
            try FileManager.default.removeItem(atPath: place)
            index += 1
        }
        #expect(index > 50)
    }
}
