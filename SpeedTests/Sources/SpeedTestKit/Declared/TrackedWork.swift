import CRivals
import Cabinet

/// A save of many changed objects that refer to one another, with and without a table of referrers.
enum TrackedWork {
    /// What changes of each object.
    enum Change {
        /// Its number; it refers to what it referred to.
        case number
        /// Its number, and what it refers to.
        case reference
    }

    /// A link of a chain.
    class Link: StoredObject {
        @Field var number: UInt32 = 0
        @One var next: Link?
    }

    final class PlainLink: Link {}

    final class TrackedLink: Link {
        override class var tracksReferrers: Bool { true }
    }

    static func saveTracked(_ change: Change) -> Work.CabinetCall {
        { job, shelf in try save(TrackedLink.self, change, job, shelf) }
    }

    static func savePlain(_ change: Change) -> Work.CabinetCall {
        { job, shelf in try save(PlainLink.self, change, job, shelf) }
    }

    /// What is timed, and observed for memory, is the save alone.
    private static func save<Object: Link>(
        _ type: Object.Type, _ change: Change, _ job: Job, _ shelf: Shelf
    ) throws -> CabinetWork.Result {
        try make(type, job, shelf)
        let store = try shelf.open([type])
        let links = try store.objects(of: type)
        for link in links { link.number += 1 }
        // How many places each refers ahead.
        let distance = change == .reference ? 2 : 1
        let targets = links.dropFirst(distance) + links.prefix(distance)
        if change == .reference {
            for (link, next) in zip(links, targets) { link.next = next }
        }
        speed_watch_begin()
        let start = speed_clock()
        try store.save()
        let seconds = speed_clock() - start
        var proof = Proof()
        for (link, next) in zip(links, targets) {
            guard link.next === next else {
                throw SpeedTestError.missing("link \(link.number) in its place")
            }
            proof.add(link.number)
        }
        if type.tracksReferrers,
            try store.referrers(of: links[0]) != [links[links.count - distance]]
        {
            throw SpeedTestError.missing("referrer")
        }
        for link in links { link.next = nil }
        store.rollback()
        try shelf.close(store)
        return CabinetWork.Result(proof: proof, seconds: seconds)
    }

    private static func make<Object: Link>(
        _ type: Object.Type, _ job: Job, _ shelf: Shelf
    ) throws {
        let store = try shelf.open([type])
        let links = (0..<job.objects).map { number in
            let link = Object()
            link.number = number
            return link
        }
        links.forEach(store.insert)
        for (link, next) in zip(links, links.dropFirst() + links.prefix(1)) { link.next = next }
        try store.save()
        try shelf.close(store)
    }
}
