import Cabinet
import Foundation

/// A program that saves sales, which a trigger sums up, until it is killed. It says `A` with what the sales
/// of all its saves so far come to.
package struct SaleRun {
    package var directory: String
    package var seed: UInt64

    package init(directory: String, seed: UInt64) {
        (self.directory, self.seed) = (directory, seed)
    }

    package var arguments: [String] { ["sales", directory, String(seed)] }

    package init?(arguments: [String]) {
        guard arguments.count == 3, arguments[0] == "sales", let seed = UInt64(arguments[2]) else {
            return nil
        }
        self.init(directory: arguments[1], seed: seed)
    }

    package static let classes: [StoredObject.Type] = [Sale.self, SaleTotal.self]

    /// The program's part.
    package func work(say: (String) -> Void) throws {
        let store = try Store(
            directory: URL(filePath: directory), classes: Self.classes, durability: .process)
        var random = SeededRandom(seed: seed)
        while true {
            let sales = try store.objects(of: Sale.self)
            for _ in 0...random.below(3) {
                switch sales.isEmpty ? 0 : random.below(4) {
                case 1: sales[random.below(sales.count)].cents += random.below(50)
                case 2: try store.delete(sales[random.below(sales.count)])
                default:
                    let sale = Sale()
                    sale.cents = random.below(1000)
                    store.insert(sale)
                }
            }
            try store.save()
            say("A \(try store.query(Sale.self).sum(\.cents))")
        }
    }
}

/// What is sold. A trigger after saves sums it up: by differences, so that each event must count once.
package final class Sale: StoredObject {
    @Field package var cents = 0

    override package class var triggers: [Trigger] {
        [
            .after(Sale.self, named: "sum") { store, event in
                let total = try store.objects(of: SaleTotal.self).first ?? SaleTotal()
                store.insert(total)
                total.cents += difference(event.kind)
            }
        ]
    }

    private static func difference(_ kind: ObjectEvent<Sale>.Kind) -> Int {
        switch kind {
        case .inserted(let fields): fields.reduce(0) { $0 + number($1.value) }
        case .deleted(let fields): -fields.reduce(0) { $0 + number($1.value) }
        case .changed(let fields): fields.reduce(0) { $0 + number($1.new) - number($1.old) }
        // All commits have what they replace.
        case .written: 1_000_000_000
        }
    }

    private static func number(_ value: FieldValue?) -> Int {
        if case .integer(let number) = value { Int(number) } else { 0 }
    }
}

/// What sales come to.
package final class SaleTotal: StoredObject {
    @Field package var cents = 0
}
