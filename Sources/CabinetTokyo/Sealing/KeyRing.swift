#if Encryption
    import CabinetBackend
    import Synchronization

    /// The keys of an open store. A data key may be added while threads seal and open. All of them stay until it is
    /// closed: a snapshot that was taken before may read what the first has sealed.
    ///
    /// `@unchecked Sendable`: a slot is written once, before `count` says that it is there, and what is read was
    /// loaded after that: larger ones have been copied before they became `slots`, and lesser ones stay.
    final class KeyRing: @unchecked Sendable {
        typealias Slot = (number: UInt32, key: Secret)
        private typealias Slots = UnsafeMutableBufferPointer<Slot>

        let names: Secret
        private let slots: Atomic<UnsafeMutablePointer<Slot>>
        private let count = Atomic(0)
        private let lock = Lock()
        /// All that slots were made for, the last of them `slots`, each twice as large as the one before. Under
        /// `lock`.
        @exclusivity(unchecked) private var rooms: [(slots: Slots, used: Int)]
        /// Data keys with lesser numbers seal nothing any more. Under `lock`.
        @exclusivity(unchecked) private var oldest: UInt32 = 0

        init(_ keys: DataKeys) {
            let room = UnsafeMutablePointer<Slot>.allocate(capacity: 4)
            names = keys.names
            slots = Atomic(room)
            rooms = [(Slots(start: room, count: 4), 0)]
            add(keys)
        }

        deinit {
            for room in rooms {
                room.slots.extracting(..<room.used).deinitialize()
                room.slots.deallocate()
            }
        }

        /// The data keys, the one that seals last.
        private var all: UnsafeBufferPointer<Slot> {
            let count = count.load(ordering: .acquiring)
            return UnsafeBufferPointer(start: slots.load(ordering: .acquiring), count: count)
        }

        /// The one that seals.
        var current: Slot { all[all.count - 1] }

        subscript(number: UInt32) -> Secret? { all.last { $0.number == number }?.key }

        /// Adds those that are newer.
        func add(_ keys: DataKeys) {
            lock.withLock {
                for slot in keys.data where slot.number > (all.last?.number ?? 0) { append(slot) }
            }
        }

        private func append(_ slot: Slot) {
            let end = all.count
            if end == rooms[rooms.count - 1].slots.count {
                let room = Slots.allocate(capacity: 2 * end)
                _ = room.initialize(fromContentsOf: all)
                rooms.append((room, end))
                if let base = room.baseAddress { slots.store(base, ordering: .releasing) }
            }
            rooms[rooms.count - 1].slots.initializeElement(at: end, to: slot)
            rooms[rooms.count - 1].used = end + 1
            count.store(end + 1, ordering: .releasing)
        }

        /// Those by which something may be sealed.
        var keys: DataKeys {
            lock.withLock { DataKeys(names: names, data: all.filter { $0.number >= oldest }) }
        }

        /// Nothing is sealed by others than the newest one.
        func forgetOlder() { lock.withLock { oldest = current.number } }
    }
#endif
