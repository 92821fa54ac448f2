import Cabinet

/// Classes whose objects hold one another in a row, each in a way of its own.
enum Chains {
    /// How many links were freed.
    nonisolated(unsafe) static var freed = 0

    class Counted: StoredObject {
        deinit { Chains.freed += 1 }
    }

    final class Link: Counted {
        @Field var number = 0
        @One var next: Link?
    }

    final class Listed: Counted {
        @Many var rest: [Listed]
    }

    final class Odd: Counted {
        @One var next: Even?
    }
    final class Even: Counted {
        @Many var others: [StoredObject]
    }

    /// Holds the next one twice, and in a list a third time.
    final class Twin: Counted {
        @One var left: Twin?
        @One var right: Twin?
        @Many var both: [Twin]
    }

    /// Writes its content itself.
    class Written: Counted {
        var next: Written?
        override func writeContent(to buffer: DataBuffer) {
            buffer.writeAnyReference(next)
        }
        override func readContent(from buffer: DataBuffer) throws {
            next = try buffer.readAnyReference() as? Written
        }
    }

    /// Holds others in variables of its own, and some of them not as their owner.
    final class Manifold: Written {
        var list: [Written] = []
        var optionalList: [Written]?
        weak var weakOne: Written?
        unowned var unownedOne: Written?
        unowned(unsafe) var unsafeOne: Written?
        let constant = Link()
    }

    final class Rows: Counted {
        var rows: ObjectList<Rows> = []
        override func writeContent(to buffer: DataBuffer) { buffer.writeReferenceList(rows) }
        override func readContent(from buffer: DataBuffer) throws {
            rows = try buffer.readReferenceList()
        }
    }

    final class Generic<Value>: Counted {
        var value: Value?
        var next: Generic<Value>?
        override func writeContent(to buffer: DataBuffer) {}
        override func readContent(from buffer: DataBuffer) throws {}
    }

    static let classes: [StoredObject.Type] = [
        Link.self, Listed.self, Odd.self, Even.self, Twin.self, Written.self, Manifold.self,
        Rows.self,
    ]
}
