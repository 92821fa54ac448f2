import Cabinet
import Foundation
import Testing

@testable import CabinetTestModel

/// What a preview costs grows with what the delete would do, not with its square.
struct PreviewCostTests {
    final class Shelf: StoredObject {
        @Many(onDelete: .cascade) var books: [Book]
    }
    final class Book: StoredObject {
        @One(inverse: \Reader.books) var reader: Reader?
    }
    final class Reader: StoredObject {
        @Many var books: [Book]
    }

    @Test func eightTimesAsMuchTakesAboutEightTimesAsLong() throws {
        var (small, large) = (Double.infinity, Double.infinity)
        for _ in 0..<3 {
            small = try min(small, seconds(for: 1000))
            large = try min(large, seconds(for: 8000))
        }
        // To compare every change with every delete takes 64 times as long.
        #expect(large < 20 * small)
    }

    /// How much processor time the preview takes of a shelf of `count` books, each of a reader.
    private func seconds(for count: Int) throws -> Double {
        let store = try Store(inMemory: [Shelf.self, Book.self, Reader.self])
        let shelf = Shelf()
        store.insert(shelf)
        for _ in 0..<count {
            let book = Book()
            book.reader = Reader()
            shelf.books.append(book)
        }
        try store.save()
        let start = processorTime()
        let preview = try store.previewDelete(shelf)
        let seconds = processorTime() - start
        #expect(preview.deleted.count == count + 1)
        #expect(preview.changed.count == count)
        #expect(preview.denial == nil)
        return seconds
    }

    /// Of this thread, whatever else the machine does.
    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
