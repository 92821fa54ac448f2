import CLibrary
import CSystem

#if canImport(Darwin)
    extension SystemCalls {
        /// A number that no other mount gets until the machine is restarted; 0 where the system
        /// does not tell mounts apart.
        ///
        /// A volume's number is given again when its disk was pulled and plugged in, so it counts
        /// for volumes on the disk that the system runs from alone.
        static func mountIdentifier(of descriptor: Int32) -> UInt64 {
            var status = statfs()
            var system = statfs()
            guard fstatfs(descriptor, &status) == 0, statfs("/", &system) == 0,
                let number = disk(of: status), number == disk(of: system)
            else { return 0 }
            let parts = (status.f_fsid.val.0, status.f_fsid.val.1)
            return UInt64(UInt32(bitPattern: parts.0)) << 32 | UInt64(UInt32(bitPattern: parts.1))
        }

        /// The number of the disk that a volume is on: 3 of "/dev/disk3s1s1".
        private static func disk(of status: statfs) -> Int? {
            let name = withUnsafeBytes(of: status.f_mntfromname) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix("/dev/disk") else { return nil }
            return Int(name.dropFirst(9).prefix { $0.isNumber })
        }
    }
#else
    extension SystemCalls {
        /// A number that no other mount gets until the machine is restarted; 0 where the system
        /// does not tell mounts apart.
        static func mountIdentifier(of descriptor: Int32) -> UInt64 {
            let number = cabinet_mount_number(descriptor)
            return number != 0 ? number : numberByDisk(descriptor)
        }

        /// What older kernels tell: the mount's number in a table, which the next mount may get,
        /// and that of the disk, which a disk that was pulled and plugged in does not get again. A
        /// mount that ends while its disk is there has written everything to it.
        static func numberByDisk(_ descriptor: Int32) -> UInt64 {
            let disk = cabinet_disk_number(descriptor)
            guard disk != 0 else { return 0 }
            // The kernel's table of the descriptor: "mnt_id:" and a number, on a line of its own.
            for line in contentsOfSmallFile("/proc/self/fdinfo/\(descriptor)").split(
                separator: "\n")
            where line.hasPrefix("mnt_id:") {
                let number = UInt64(line.dropFirst(7).drop { $0 == "\t" || $0 == " " })
                return number.map { disk << 32 | $0 } ?? 0
            }
            return 0
        }
    }
#endif
