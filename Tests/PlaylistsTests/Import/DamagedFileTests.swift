import Foundation
import Testing

@testable import playlists

/// Files that were damaged on their way: every one is read or refused, none brings the program
/// down.
struct DamagedFileTests {
    /// A small generator with a fixed seed (SplitMix64), so that a failure can be repeated.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    @Test(arguments: ["Library.xml"])
    func aDamagedFileIsReadOrRefused(_ name: String) throws {
        let path = try Fixtures.path(name)
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var dice = Dice(state: 20)
        var (read, refused) = (0, 0)
        for _ in 0..<4000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
            }
            if let error = Fixtures.error(of: bytes, as: name) {
                refused += 1
                #expect("\(error)".hasPrefix("/fixtures/\(name)"))
            } else {
                read += 1
            }
        }
        #expect(read + refused == 4000)
        #expect(read > 0)
    }
}
