import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What tells one mount from the next, on which recovery relies.
struct MountTests {
    let directory = ScratchDirectory(inMemory: false)

    @Test func aPlaceIsKnownByItsBootAndItsMount() {
        let place = MountIdentity(boot: "b", device: 1, mount: 2, inode: 3)
        #expect(place.isKnown(toBe: place))
        let others = [
            MountIdentity(boot: "c", device: 1, mount: 2, inode: 3),
            MountIdentity(boot: "b", device: 2, mount: 2, inode: 3),
            MountIdentity(boot: "b", device: 1, mount: 1, inode: 3),
            MountIdentity(boot: "b", device: 1, mount: 2, inode: 1),
        ]
        for other in others { #expect(!place.isKnown(toBe: other)) }
        for place in [
            MountIdentity(boot: "", device: 1, mount: 2, inode: 3),
            MountIdentity(boot: "b", device: 1, mount: 0, inode: 3),
        ] {
            #expect(!place.isKnown(toBe: place))
        }
    }

    #if os(Linux)
        /// From 6.8 on.
        private static let numbersMounts: Bool = {
            let text = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))
            let numbers = (text ?? "").split { !$0.isNumber }.compactMap { Int($0) }
            return numbers.count > 1 && (numbers[0], numbers[1]) >= (6, 8)
        }()

        @Test(
            .enabled(if: numbersMounts, "This kernel does not number its mounts once and for all."))
        func theKernelNumbersMountsOnce() throws {
            let files = SystemFiles()
            let place = try files.mountIdentity(of: directory.path)
            #expect(place.isKnown(toBe: try files.mountIdentity(of: directory.path)))
            #expect(place.mount != (try files.mountIdentity(of: "/proc")).mount)
        }

        /// The number that the kernel shows of the disk that temporary files are on; `nil` if they
        /// are on none.
        private static let numberedDisk = findNumberedDisk()

        private static func findNumberedDisk() -> UInt64? {
            let path = FileManager.default.temporaryDirectory.path
            guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            else { return nil }
            var device = ""
            var length = 0
            for line in mounts.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count > 1, words[1].count >= length, path.hasPrefix(words[1]) else {
                    continue
                }
                (device, length) = (String(words[0]), words[1].count)
            }
            guard device.hasPrefix("/dev/") else { return nil }
            let disks = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/block")) ?? []
            for disk in disks where device.hasPrefix("/dev/" + disk) {
                let file = "/sys/block/\(disk)/diskseq"
                let text = try? String(contentsOfFile: file, encoding: .utf8)
                return UInt64((text ?? "").prefix { $0.isNumber })
            }
            return nil
        }

        @Test(.enabled(if: numberedDisk != nil, "Temporary files are on no disk with a number."))
        func olderKernelsNumberDisks() throws {
            let file = try SystemFiles().open(
                FileManager.default.temporaryDirectory.path, for: .reading)
            let number = SystemCalls.numberByDisk(file.descriptor)
            #expect(number >> 32 == Self.numberedDisk)
            #expect(number & 0xFFFF_FFFF != 0)
        }

        @Test func whatIsOnNoDiskIsNotTold() throws {
            let file = try SystemFiles().open("/proc", for: .reading)
            #expect(SystemCalls.numberByDisk(file.descriptor) == 0)
        }
    #endif
}
