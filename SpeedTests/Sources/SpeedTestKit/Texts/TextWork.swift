import CRivals
import Cabinet
import CabinetBackend
import Foundation

/// What is done with text indexes.
enum TextWork {
    /// Opens the store as a program with an index of this kind; without one if that is `nil`.
    private static func open(_ shelf: Shelf, _ tokenizer: Tokenizer?) throws -> Store {
        TextSong.tokenizer.withLock { $0 = tokenizer }
        return try shelf.open([TextSong.self])
    }

    /// Inserts all texts in one save; the index is complete and in form when it ends.
    static func insert(
        _ tokenizer: Tokenizer?, _ texts: @escaping @Sendable (Job) -> Corpus = Corpus.titles
    ) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let corpus = texts(job)
            let start = speed_clock()
            let store = try open(shelf, tokenizer)
            for number in 0..<corpus.count {
                let song = TextSong()
                song.title = corpus[number]
                song.number = number
                store.insert(song)
                proof.add(number)
            }
            try store.save()
            try store.indexes.build()
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: speed_clock() - start)
        }
    }

    /// A search in each step; opening and closing are not timed.
    ///
    /// - Parameters:
    ///   - search: what is looked for.
    ///   - order: the order of the hits.
    ///   - limit: how many hits at most; with one, the numbers of the songs do not count, as
    ///     engines may choose among equals.
    ///   - query: makes the query of the text.
    static func search(
        _ tokenizer: Tokenizer, _ search: speed_search,
        orderedBy order: SearchOrder = .row, limit: Int? = nil,
        _ query: @escaping @Sendable (String) -> String = { $0 }
    ) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let corpus = Corpus.titles(job)
            let store = try open(shelf, tokenizer)
            let start = speed_clock()
            for step in 0..<job.steps {
                let results = try store.query(TextSong.self).limit(limit).search(
                    query(corpus.search(search, step).text), in: \.title, orderedBy: order)
                for hit in results { proof.add(limit == nil ? hit.object.number : 0) }
            }
            let seconds = speed_clock() - start
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: seconds)
        }
    }

    /// Each save gives a song chosen at random the title of another one.
    static func saveTitles(_ tokenizer: Tokenizer?) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            let corpus = Corpus.titles(job)
            let store = try open(shelf, tokenizer)
            var choices = job.choices
            let start = speed_clock()
            for _ in 0..<job.steps {
                let row = RowID.first.advanced(by: Int(choices.next()))
                guard let song = try store.object(TextSong.self, rowID: row) else {
                    throw SpeedTestError.missing("song in row \(row.rawValue)")
                }
                song.title = corpus[choices.next()]
                proof.add(song.number)
                try store.save()
            }
            let seconds = speed_clock() - start
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: seconds)
        }
    }
}
