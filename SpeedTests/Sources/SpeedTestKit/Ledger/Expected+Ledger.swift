import CRivals

// What the ledger's sums must be, from the bookings themselves.
extension Expected {
    private static func bookings(_ job: Job) -> [speed_booking] {
        (0..<job.objects).map { speed_booking($0, job.objects, Job.seed) }
    }

    @Sendable static func balances(_ job: Job) -> Proof {
        let bookings = bookings(job)
        var proof = Proof()
        for step in 0..<job.steps {
            let time = speed_balance_time(step, Job.seed)
            var sums = [Int](repeating: 0, count: Int(speed_ledger_accounts))
            for booking in bookings where booking.time <= time {
                sums[Int(booking.debit)] += Int(booking.cents)
                sums[Int(booking.credit)] -= Int(booking.cents)
            }
            for sum in sums { proof.add(cents: sum) }
        }
        return proof
    }

    @Sendable static func months(_ job: Job) -> Proof {
        let bookings = bookings(job)
        var proof = Proof()
        for month in 0..<UInt32(12 * speed_ledger_years) {
            let times = speed_month(month)..<speed_month(month + 1)
            proof.add(
                cents: bookings.reduce(0) { times.contains($1.time) ? $0 + Int($1.cents) : $0 })
        }
        return proof
    }

    /// The entries with the highest numbers, in each step.
    @Sendable static func latest(_ job: Job) -> Proof {
        var proof = Proof()
        for _ in 0..<job.steps {
            for place in 1...min(UInt32(speed_ledger_page), job.objects) {
                proof.add(job.objects - place)
            }
        }
        return proof
    }
}
