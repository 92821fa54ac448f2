import CRivals

/// Texts, the same as the rival indexes.
final class Corpus {
    private let corpus: UnsafeMutablePointer<speed_corpus>

    private init(_ corpus: UnsafeMutablePointer<speed_corpus>?) {
        guard let corpus else { fatalError("No memory for texts.") }
        self.corpus = corpus
    }

    deinit { speed_corpus_free(corpus) }

    /// A title for each object of a job; where a directory was given, a file of that.
    static func titles(_ job: Job) -> Corpus { Corpus(speed_texts(job.objects, Job.seed)) }

    /// From now on texts are the files below a directory.
    static func use(_ directory: String) { speed_use_corpus(directory) }

    /// Whether texts are the files of a directory.
    static var isOfFiles: Bool { speed_uses_corpus() }

    /// At most as many sections of manual pages.
    static func manual(_ job: Job) -> Corpus { Corpus(speed_manual(job.objects)) }

    var count: UInt32 { corpus.pointee.count }
    /// The bytes of all texts.
    var size: UInt64 { count == 0 ? 0 : corpus.pointee.ends[Int(count) - 1] }

    subscript(number: UInt32) -> String {
        let place = Int(number)
        let start = place == 0 ? 0 : Int(corpus.pointee.ends[place - 1])
        let end = Int(corpus.pointee.ends[place])
        return String(
            decoding: UnsafeRawBufferPointer(
                start: corpus.pointee.bytes + start, count: end - start), as: UTF8.self)
    }

    /// What one search looks for: its text, and the ranks of its words.
    func search(_ search: speed_search, _ step: UInt32) -> (text: String, ranks: [UInt32]) {
        var ranks: [UInt32] = [0, 0]
        var text = [CChar](repeating: 0, count: Int(speed_search_room))
        speed_search_text(corpus, search, step, &text, &ranks)
        return (
            String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
            ranks
        )
    }

    /// The word of a rank, 0 for the most frequent.
    func word(_ rank: UInt32) -> String {
        withUnsafeBytes(of: corpus.pointee.names[Int(rank)]) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// How many distinct words the texts have.
    var wordCount: UInt32 { corpus.pointee.distinct }

    /// The ranks of a title's words.
    func ranks(of number: UInt32) -> UnsafeBufferPointer<UInt32> {
        let place = Int(number)
        let start = place == 0 ? 0 : Int(corpus.pointee.word_ends[place - 1])
        let end = Int(corpus.pointee.word_ends[place])
        return UnsafeBufferPointer(start: corpus.pointee.words + start, count: end - start)
    }
}
