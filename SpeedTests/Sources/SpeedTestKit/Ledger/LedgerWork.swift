import CRivals
import Cabinet
import Foundation

/// What is done with the ledger.
enum LedgerWork {
    private static func open(_ shelf: Shelf) throws -> Store {
        try shelf.open([Account.self, LedgerEntry.self, Posting.self])
    }

    /// Inserts all entries in saves of 2,000; the indexes are complete and in form when it ends.
    static func insert(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        var proof = Proof()
        let corpus = Corpus.titles(job)
        let watch = Watch()
        let store = try open(shelf)
        let accounts = (0..<Int(speed_ledger_accounts)).map { number in
            let account = Account()
            account.name = "Account \(number)"
            store.insert(account)
            return account
        }
        try store.save()
        for number in 0..<job.objects {
            let booking = speed_booking(number, job.objects, Job.seed)
            let entry = LedgerEntry()
            entry.number = number
            entry.date = Date(timeIntervalSince1970: Double(booking.time))
            entry.text = corpus[number]
            entry.postings = [
                posting(entry, accounts[Int(booking.debit)], booking.cents),
                posting(entry, accounts[Int(booking.credit)], -booking.cents),
            ]
            store.insert(entry)
            proof.add(number)
            if (number + 1) % UInt32(speed_ledger_save) == 0 { try store.save() }
        }
        try store.save()
        try store.indexes.build()
        try shelf.close(store)
        return watch.result(proof)
    }

    private static func posting(
        _ entry: LedgerEntry, _ account: Account, _ cents: Int64
    ) -> Posting {
        let posting = Posting()
        posting.account = account
        posting.date = entry.date
        posting.cents = cents
        return posting
    }

    /// What `body` gives of an open store; opening and closing are not timed.
    private static func ask(
        _ shelf: Shelf, _ body: (Store, inout Proof) throws -> Void
    ) throws -> CabinetWork.Result {
        var proof = Proof()
        let store = try open(shelf)
        let watch = Watch()
        try body(store, &proof)
        let result = watch.result(proof)
        try shelf.close(store)
        return result
    }

    /// The balance of each account at a day, for as many days as there are steps.
    static func balances(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        try ask(shelf) { store, proof in
            for step in 0..<job.steps {
                let time = speed_balance_time(step, Job.seed)
                let date = Date(timeIntervalSince1970: Double(time))
                for number in 0..<Int(speed_ledger_accounts) {
                    let row = RowID.first.advanced(by: number)
                    let balance = try store.query(Posting.self).filter(
                        #Predicate { $0.account?.rowID == row && $0.date <= date }
                    ).sum(\.cents)
                    proof.add(cents: balance)
                }
            }
        }
    }

    /// What was booked in each month.
    static func months(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        try ask(shelf) { store, proof in
            for month in 0..<UInt32(12 * speed_ledger_years) {
                let begin = Date(timeIntervalSince1970: Double(speed_month(month)))
                let end = Date(timeIntervalSince1970: Double(speed_month(month + 1)))
                let sum = try store.query(Posting.self).filter(
                    #Predicate { $0.date >= begin && $0.date < end && $0.cents > 0 }
                ).sum(\.cents)
                proof.add(cents: sum)
            }
        }
    }

    /// The fifty latest entries, in each step.
    static func latest(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        try ask(shelf) { store, proof in
            for _ in 0..<job.steps {
                let page = try store.fetch(
                    LedgerEntry.self,
                    sortedBy: [.descending(\.date), .descending(\.number)],
                    limit: Int(speed_ledger_page))
                for entry in page { proof.add(entry.number) }
            }
        }
    }

    /// The entries with a word, in each step.
    static func search(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let corpus = Corpus.titles(job)
        return try ask(shelf) { store, proof in
            for step in 0..<job.steps {
                let hits = try store.query(LedgerEntry.self).search(
                    corpus.search(speed_search_word, step).text, in: \.text, orderedBy: .row)
                for hit in hits { proof.add(hit.object.number) }
            }
        }
    }

    /// Each save gives an entry chosen at random the text of another one, and its postings an amount
    /// that is higher by a cent.
    static func edit(_ job: Job, _ shelf: Shelf) throws -> CabinetWork.Result {
        let corpus = Corpus.titles(job)
        return try ask(shelf) { store, proof in
            var choices = job.choices
            for _ in 0..<job.steps {
                let row = RowID.first.advanced(by: Int(choices.next()))
                guard let entry = try store.object(LedgerEntry.self, rowID: row) else {
                    throw SpeedTestError.missing("entry in row \(row.rawValue)")
                }
                entry.text = corpus[choices.next()]
                for posting in entry.postings { posting.cents += posting.cents > 0 ? 1 : -1 }
                try store.save()
                proof.add(entry.number)
            }
        }
    }
}

/// Measures from when it was made.
struct Watch {
    private let start = speed_clock()
    private let processorStart = speed_processor_clock()

    func result(_ proof: Proof) -> CabinetWork.Result {
        CabinetWork.Result(
            proof: proof, seconds: speed_clock() - start,
            processorSeconds: speed_processor_clock() - processorStart)
    }
}

extension Proof {
    /// Adds a sum of cents, which may be negative.
    mutating func add(cents: Int) {
        count += 1
        sum += UInt64(Int64(cents) + speed_ledger_bias)
    }
}
