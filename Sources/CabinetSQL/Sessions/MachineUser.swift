import CLibrary

/// This process, as another one of the same machine knows it.
package enum MachineUser {
    /// Computed, as a process that was forked from this one has a number of its own.
    package static var current: SQLUser {
        SQLUser(realm: realm, process: Int64(getpid()), began: began(getpid()))
    }

    /// A number of this run of the machine.
    package static let run: Int64 = {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in boot.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: hash | 1)
    }()

    /// Whether a process is no more; `nil` for one of another run of the machine, or of a part of it
    /// whose processes cannot be seen from here.
    package static func hasEnded(_ user: SQLUser) -> Bool? {
        guard user.realm == realm else {
            // All processes of another run have ended.
            let isOther = !boot.isEmpty && !user.realm.hasPrefix(boot)
            return isOther ? true : nil
        }
        guard let process = pid_t(exactly: user.process) else { return true }
        if kill(process, 0) != 0, errno == ESRCH { return true }
        let began = began(process)
        return user.began != 0 && began != 0 && began != user.began
    }

    /// The machine's run, and the space of names of processes.
    private static let realm = "\(boot) \(spaceOfProcesses)"

    private static let boot: String = {
        #if canImport(Darwin)
            var length = 64
            var text = [UInt8](repeating: 0, count: length)
            guard sysctlbyname("kern.bootsessionuuid", &text, &length, nil, 0) == 0 else {
                return ""
            }
            return String(decoding: text.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
        #else
            return String(
                decoding: contents("/proc/sys/kernel/random/boot_id").prefix { $0 != 0x0A },
                as: UTF8.self)
        #endif
    }()

    private static let spaceOfProcesses: String = {
        #if canImport(Darwin)
            return ""
        #else
            var name = [CChar](repeating: 0, count: 64)
            let count = readlink("/proc/self/ns/pid", &name, name.count)
            return String(
                decoding: name.prefix(max(count, 0)).map(UInt8.init(bitPattern:)),
                as: UTF8.self)
        #endif
    }()

    /// When a process began, in ticks since the machine did; 0 where the system does not say.
    private static func began(_ process: pid_t) -> Int64 {
        #if canImport(Darwin)
            return 0
        #else
            // The name of the program, in brackets, may hold anything.
            let fields = contents("/proc/\(process)/stat").split(separator: UInt8(ascii: ")"))
                .last?.split(separator: UInt8(ascii: " "))
            guard let fields, fields.count > 19 else { return 0 }
            return Int64(String(decoding: fields[19], as: UTF8.self)) ?? 0
        #endif
    }

    #if !canImport(Darwin)
        private static func contents(_ path: String) -> ArraySlice<UInt8> {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            return bytes.prefix(max(count, 0))
        }
    #endif
}
