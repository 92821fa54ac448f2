import CRivals
import Cabinet
import Foundation

extension IndexWork {
    /// One song by its code.
    static let fetchCoded = ask(.titleAndCode) { store, _, _, choices, proof in
        let code = choices.code()
        for song in try store.fetch(CatalogSong.self, where: #Predicate { $0.code == code }) {
            proof.add(song.number)
        }
    }

    private static func range(_ job: Job, _ choices: inout Choices) -> ObjectQuery<CatalogSong> {
        let range = choices.range(min(job.objects, UInt32(speed_walked_range)))
        let (lower, upper) = (range.lowerBound, range.upperBound)
        return ObjectQuery(
            where: #Predicate { $0.code >= lower && $0.code < upper },
            sortedBy: [.ascending(\.code)])
    }

    static let fetchRanges = ask(.titleAndCode) { store, job, _, choices, proof in
        for song in try store.fetch(range(job, &choices)) { proof.add(song.number) }
    }

    static let fetchRangeRows = ask(.titleAndCode) { store, job, _, choices, proof in
        proof.add(try store.query(range(job, &choices)).rowIDs())
    }

    static let countRanges = ask(.titleAndCode) { store, job, _, choices, proof in
        let range = choices.range(job.objects / UInt32(speed_counted_share))
        let (lower, upper) = (range.lowerBound, range.upperBound)
        let count = try store.count(
            of: CatalogSong.self, where: #Predicate { $0.code >= lower && $0.code < upper })
        proof.add(UInt32(count))
    }

    static let fetchPages = ask(.titleAndCode) { store, job, step, _, proof in
        let songs = try store.fetch(
            CatalogSong.self, sortedBy: [.ascending(\.code)], limit: 20,
            offset: Int(job.objects / 2 + step))
        for song in songs { proof.add(song.number) }
    }

    static let fetchFirstByTitle = ask(.titleAndCode) { store, _, _, _, proof in
        let songs = try store.fetch(
            CatalogSong.self, sortedBy: [.ascending(\.title)], limit: 20)
        for song in songs { proof.add(song.number) }
    }

    static let scan = ask(.none) { store, _, _, _, proof in
        let count = try store.count(of: CatalogSong.self, where: #Predicate { $0.artist == 3 })
        proof.add(UInt32(count))
    }

    static let intersect = ask(.groups) { store, _, _, _, proof in
        proof.add(
            try store.query(CatalogSong.self).filter(#Predicate { $0.artist == 3 && $0.genre == 5 })
                .rowIDs())
    }

    /// All rows in the order of an index.
    static func walk(
        _ indexing: CatalogSong.Indexing, by order: ObjectOrder<CatalogSong>
    ) -> Work.CabinetCall {
        ask(indexing) { store, _, _, _, proof in
            proof.add(try store.query(CatalogSong.self).sorted(by: [order]).rowIDs())
        }
    }
}
