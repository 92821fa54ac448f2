import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Values without end, on a thread with little stack: each level is a call.
struct CompactDepthTests {
    /// A list, each of whose links holds the next.
    final class Link: Codable {
        var next: Link?
        var number = 0

        init(_ length: Int) {
            var last = self
            for number in 1..<max(length, 1) {
                let link = Link(1)
                link.number = number
                last.next = link
                last = link
            }
        }

        var length: Int {
            var (length, link) = (0, Optional(self))
            while let current = link { (length, link) = (length + 1, current.next) }
            return length
        }

        /// Takes the list apart, as freeing it would be a call for each link.
        func dismantle() {
            var link = next
            next = nil
            while let current = link { (link, current.next) = (current.next, nil) }
        }
    }

    /// Takes two calls for a level where `Link` takes one.
    final class Wrapper: Codable {
        let value: [Wrapper]
        init(_ depth: Int) { value = depth > 1 ? [Wrapper(depth - 1)] : [] }
    }

    /// Runs `body` on a thread with a stack of 512 KiB.
    static func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let thread = Thread {
                body()
                done.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test func valuesThatAreNestedWithoutEndAreRefusedOnASmallStack() async throws {
        await Self.onSmallStack {
            let list = Link(100_000)
            defer { list.dismantle() }
            #expect(throws: EncodingError.self) { try CompactFormTests.bytes(list) }
            #expect(throws: EncodingError.self) { try CompactFormTests.bytes(Wrapper(400)) }
            let buffer = DataBuffer()
            buffer.writeCodable(list)
            guard case .coding("Link", let reason)? = buffer.writeError as? DataBufferError else {
                Issue.record("\(String(describing: buffer.writeError))")
                return
            }
            #expect(reason.contains("128"))
        }
    }

    @Test func whatIsAsDeepAsItMayBeComesBackOnASmallStack() async throws {
        await Self.onSmallStack {
            do {
                let found: Link = try CompactFormTests.decode(
                    try CompactFormTests.bytes(Link(CompactForm.encodingDepth)))
                #expect(found.length == CompactForm.encodingDepth)
                #expect(throws: EncodingError.self) {
                    try CompactFormTests.bytes(Link(CompactForm.encodingDepth + 1))
                }
                // Each takes a list and an object.
                let deep = try CompactFormTests.bytes(Wrapper(CompactForm.encodingDepth / 2))
                _ = try CompactFormTests.decode(deep, as: Wrapper.self)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    /// Bytes that claim to be nested without end.
    @Test func deepBytesAreRefusedOnASmallStack() async throws {
        await Self.onSmallStack {
            let key: [UInt8] = [1, 1, 4] + Array("next".utf8)
            var value: [UInt8] = [0xCE, 0]
            for _ in 0..<2000 {
                var length = [UInt8(truncatingIfNeeded: value.count + 1)]
                if value.count + 1 >= 0x80 {
                    let count = value.count + 1
                    length = [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
                    if count >= 1 << 14 {
                        length = [
                            UInt8(count & 0x7F) | 0x80, UInt8(count >> 7 & 0x7F) | 0x80,
                            UInt8(count >> 14),
                        ]
                    }
                }
                value = [0xCE] + length + [0] + value
            }
            final class Next: Decodable { var next: Next? }
            #expect(throws: DecodingError.self) {
                try CompactFormTests.decode(key + value, as: Next.self)
            }
            (key + value).withUnsafeBytes { bytes in
                var tree = CompactTree(limit: nil)
                #expect(tree.read(bytes) == nil)
            }
        }
    }
}
