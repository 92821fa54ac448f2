import CabinetBackend

@testable import Cabinet

/// What the tests of new references to deleted objects store.
enum PosterClasses {
    final class Poster: StoredObject {
        @Field var name = ""
        override class var storageName: String { "Poster" }
    }

    final class Wall: StoredObject {
        @Field var height = 2
        @One(onDelete: .nullify) var poster: Poster?
        override class var storageName: String { "Wall" }
    }

    final class Frame: StoredObject {
        @Many(onDelete: .cascadeWhenLastReference) var posters: [Poster]
        override class var storageName: String { "Frame" }
    }

    /// Runs what a test gives it as a save validates it.
    final class Trigger: StoredObject {
        @Field var pulls = 0
        var body: (() throws -> Void)?
        var validations = 0
        override class var storageName: String { "Trigger" }

        override func validate() throws {
            validations += 1
            let body = body
            self.body = nil
            try body?()
        }
    }

    /// Runs what a test gives it while a save writes its record.
    final class Fuse: StoredObject {
        var body: (() throws -> Void)?
        var failure: (any Error)?
        override class var storageName: String { "Fuse" }

        override func writeContent(to buffer: DataBuffer) {
            let body = body
            self.body = nil
            do { try body?() } catch { failure = error }
            buffer.writeInt(0)
        }

        override func readContent(from buffer: DataBuffer) throws { _ = try buffer.readInt() }
    }
}
