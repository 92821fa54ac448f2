import Testing

@testable import Cabinet

/// A list in blocks is as one array would be, wherever blocks begin.
struct PendingObjectsTests {
    private final class Numbered: StoredObject {
        var number = 0

        convenience init(_ number: Int) {
            self.init()
            self.number = number
        }
    }

    private func numbers(_ objects: PendingObjects, from start: Int) -> [Int] {
        var found: [Int] = []
        objects.forEachHeld(from: start) { found.append(($0 as? Numbered)?.number ?? -1) }
        return found
    }

    @Test func objectsComeInTheirOrderFromEveryPlace() {
        let size = PendingObjects.blockSize
        var objects = PendingObjects()
        #expect(objects.isEmpty && numbers(objects, from: 0).isEmpty)
        let total = 2 * size + 3
        for number in 0..<total {
            objects.append(Numbered(number))
            #expect(!objects.isEmpty)
            guard [1, size, size + 1, 2 * size, total].contains(number + 1) else { continue }
            #expect(objects.count == number + 1)
            #expect(objects.map { ($0 as? Numbered)?.number } == Array(0...number))
            for start in [0, 1, size - 1, size, size + 1, 2 * size, total] {
                #expect(numbers(objects, from: start) == Array(start..<max(start, number + 1)))
            }
        }
        let before = objects
        objects.append(Numbered(total))
        #expect(before.count == total && objects.count == total + 1)
        objects.removeAll { (($0 as? Numbered)?.number ?? 0) % 2 == 0 }
        #expect(numbers(objects, from: 0) == Array(stride(from: 1, to: total + 1, by: 2)))
        #expect(numbers(before, from: 0) == Array(0..<total))
    }

    @Test func objectsAreHeldUntilTheyAreRemoved() {
        var objects = PendingObjects()
        weak var first: Numbered?
        weak var last: Numbered?
        do {
            let one = Numbered(0)
            let other = Numbered(1)
            (first, last) = (one, other)
            objects.append(one)
            for number in 0..<PendingObjects.blockSize { objects.append(Numbered(number)) }
            objects.append(other)
        }
        #expect(first != nil && last != nil)
        objects.removeAll { $0 === first }
        #expect(first == nil && last != nil)
        objects.empty()
        #expect(last == nil)
        #expect(objects.isEmpty && objects.count == 0 && Array(objects).isEmpty)
    }
}
