import Cabinet
import Foundation
import Testing

@testable import CabinetTestModel

struct OrderTests {
    let catalogue: Catalogue

    init() throws {
        catalogue = try Catalogue()
        for index in 0..<2600 {
            let mixed = (index &* 7919) % 2600
            let piece = Piece("Track \(mixed % 500)", year: mixed % 100, rating: Int32(mixed % 7))
            piece.subtitle = mixed % 3 == 0 ? nil : "s\(mixed % 11)"
            piece.score = mixed % 5 == 0 ? .nan : Double(mixed % 40)
            catalogue.store.insert(piece)
        }
    }

    @Test func orderIsStableAndRowsComeLast() throws {
        let store = try catalogue.reopened()
        let all = try store.objects(of: Piece.self)
        let expected = all.enumerated().sorted {
            ($0.element.year, -$0.element.rating, $0.offset)
                < ($1.element.year, -$1.element.rating, $1.offset)
        }.map(\.element)
        let order: [ObjectOrder<Piece>] = [.ascending(\.year), .descending(\.rating)]
        let sorted = try store.fetch(Piece.self, sortedBy: order)
        #expect(sorted == expected)
        for (offset, limit) in [(0, 10), (1200, 50), (0, 1500), (2590, 100), (3000, 1), (0, 0)] {
            let page = try store.fetch(Piece.self, sortedBy: order, limit: limit, offset: offset)
            #expect(page == Array(expected.dropFirst(offset).prefix(limit)))
        }
        let rest = try store.fetch(Piece.self, sortedBy: order, limit: .max, offset: 7)
        #expect(rest == Array(expected.dropFirst(7)))
        #expect(try store.fetch(Piece.self, limit: 3, offset: -1) == Array(all.prefix(3)))
    }

    @Test func noValueIsFirstAndNaNLast() throws {
        let store = try catalogue.reopened()
        let bySubtitle = try store.fetch(Piece.self, sortedBy: [.ascending(\.subtitle)])
        let none = bySubtitle.count { $0.subtitle == nil }
        #expect(bySubtitle.prefix(none).allSatisfy { $0.subtitle == nil })
        let texts = bySubtitle.compactMap(\.subtitle)
        #expect(texts == texts.sorted())
        let downwards = try store.fetch(Piece.self, sortedBy: [.descending(\.subtitle)])
        #expect(downwards.last?.subtitle == nil && downwards.first?.subtitle == "s9")
        let scores = try store.fetch(Piece.self, sortedBy: [.ascending(\.score)]).map(\.score)
        #expect(scores.last?.isNaN == true && scores.first == 1)
        let numbers = scores.filter { !$0.isNaN }
        #expect(numbers == numbers.sorted())
        #expect(scores.prefix(numbers.count).allSatisfy { !$0.isNaN })
    }

    @Test func collationsOrderTexts() throws {
        let store = try catalogue.reopened()
        let found = try store.fetch(
            Piece.self, sortedBy: [.ascending(\.title, .numeric)], limit: 20)
        #expect(Set(found.prefix(6).map(\.title)) == ["Track 0"])
        #expect(found[6].title == "Track 1")
        let plain = try store.fetch(Piece.self, sortedBy: [.ascending(\.title)], limit: 20)
        #expect(plain[12].title == "Track 10")
        let none = try store.fetch(
            Piece.self, sortedBy: [.ascending(\.subtitle, .caseInsensitive)], limit: 1)
        #expect(none.first?.subtitle == nil)
    }

    @Test func descriptorsOrderByTheirOwnComparators() throws {
        let store = try catalogue.reopened()
        let all = try store.objects(of: Piece.self)
        let some: [[SortDescriptor<Piece>]] = [
            [SortDescriptor(\.title), SortDescriptor(\.year, order: .reverse)],
            [SortDescriptor(\.title, comparator: .lexical, order: .reverse)],
            [SortDescriptor(\.subtitle), SortDescriptor(\.title)],
            [SortDescriptor(\.subtitle, order: .reverse)],
            [SortDescriptor(\.loudTitle)],
            [SortDescriptor(\.rating, order: .reverse)],
        ]
        for descriptors in some {
            let found = try store.query(Piece.self).sorted(by: descriptors).objects()
            let expected = all.enumerated().sorted { one, other in
                for descriptor in descriptors {
                    switch descriptor.compare(one.element, other.element) {
                    case .orderedAscending: return true
                    case .orderedDescending: return false
                    case .orderedSame: continue
                    }
                }
                return one.offset < other.offset
            }.map(\.element)
            #expect(found == expected)
        }
    }
}
