#if Encryption
    import CabinetBackend
    import Synchronization

    /// The keys of an open store. A data key may be added while threads seal and open.
    ///
    /// `@unchecked Sendable`: a slot is written once, before `count` says that it is there.
    final class KeyRing: @unchecked Sendable {
        typealias Slot = (number: UInt32, key: Secret)

        let names: Secret
        private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: most)
        private let count = Atomic(0)
        private let lock = Lock()
        /// Data keys with lesser numbers seal nothing any more. Under `lock`.
        @exclusivity(unchecked) private var oldest: UInt32 = 0

        /// As many data keys as are added while a store is open.
        private static let most = 64

        init(_ keys: DataKeys) {
            names = keys.names
            _ = add(keys)
        }

        deinit {
            slots.deinitialize(count: count.load(ordering: .acquiring))
            slots.deallocate()
        }

        /// The one that seals.
        var current: Slot { slots[count.load(ordering: .acquiring) - 1] }

        subscript(number: UInt32) -> Secret? {
            for place in 0..<count.load(ordering: .acquiring) where slots[place].number == number {
                return slots[place].key
            }
            return nil
        }

        /// Adds those that are newer. `false`: there is no room.
        func add(_ keys: DataKeys) -> Bool {
            lock.withLock {
                for slot in keys.data {
                    let end = count.load(ordering: .acquiring)
                    if end > 0, slots[end - 1].number >= slot.number { continue }
                    guard end < Self.most else { return false }
                    (slots + end).initialize(to: slot)
                    count.store(end + 1, ordering: .releasing)
                }
                return true
            }
        }

        /// Those by which something may be sealed.
        var keys: DataKeys {
            let slots = UnsafeBufferPointer(
                start: slots, count: count.load(ordering: .acquiring))
            return lock.withLock {
                DataKeys(names: names, data: slots.filter { $0.number >= oldest })
            }
        }

        /// Nothing is sealed by others than the newest one.
        func forgetOlder() { lock.withLock { oldest = current.number } }
    }
#endif
