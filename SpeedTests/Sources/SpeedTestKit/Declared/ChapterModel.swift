import Cabinet
import Foundation

/// Titles with some chapters each, in three forms of the same values.
enum Chapters {
    static let count = 4

    struct Chapter: Codable, Equatable {
        var title: String
        var start: Double
    }

    /// The chapters of title `number`. Their starts add up to it.
    static func make(_ number: UInt32) -> [Chapter] {
        (0..<count).map { place in
            Chapter(
                title: "Chapter \(place) of \(number)",
                start: place == 0 ? Double(number) - 1.5 : Double(place) * 0.25)
        }
    }

    static func sum(_ chapters: [Chapter]) -> UInt32 {
        UInt32(chapters.reduce(0) { $0 + $1.start })
    }

    /// A class of titles, whatever the form of its chapters.
    protocol TitleForm: StoredObject {
        var title: String { get set }
        var values: [Chapter] { get set }
    }

    /// A `Codable` field.
    final class CodableTitle: StoredObject, TitleForm {
        @Field var title = ""
        @Field var chapters: [Chapter] = []
        var values: [Chapter] {
            get { chapters }
            set { chapters = newValue }
        }
    }

    /// A form written by hand.
    final class BufferTitle: StoredObject, TitleForm {
        struct Packed: BufferValue {
            var chapter: Chapter

            func write(to buffer: DataBuffer) {
                buffer.writeString(chapter.title)
                buffer.writeDouble(chapter.start)
            }
            static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
                let title = try buffer.readString()
                return Packed(chapter: Chapter(title: title, start: try buffer.readDouble()))
            }
            static var minimumSize: Int { 12 }
        }

        @Field var title = ""
        @Field var chapters: [Packed] = []
        var values: [Chapter] {
            get { chapters.map(\.chapter) }
            set { chapters = newValue.map(Packed.init) }
        }
    }

    /// A binary property list, as Foundation makes it.
    final class ListTitle: StoredObject, TitleForm {
        struct Listed: BufferValue {
            var chapters: [Chapter] = []

            func write(to buffer: DataBuffer) {
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                buffer.writeData((try? encoder.encode([chapters])) ?? Data())
            }
            static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
                let data = try buffer.readData()
                let lists = try? PropertyListDecoder().decode([[Chapter]].self, from: data)
                return Listed(chapters: lists?.first ?? [])
            }
        }

        @Field var title = ""
        @Field var chapters = Listed()
        var values: [Chapter] {
            get { chapters.chapters }
            set { chapters.chapters = newValue }
        }
    }
}
