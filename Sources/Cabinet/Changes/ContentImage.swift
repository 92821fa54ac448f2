import CabinetBackend

/// An object's content as it was at one moment, kept in memory: for undo, and to take back what a
/// delete rule did before it was denied.
final class ContentImage {
    /// What `writeContent(to:)` wrote, or what the fields that are no lists hold.
    let bytes: [UInt8]
    /// Whether lists are part of it.
    let isWhole: Bool
    /// The class version that wrote the bytes.
    let version: UInt8
    /// Objects that have no row to be found by, in the order in which they are referred to.
    let objects: [StoredObject]
    /// Why the content could not be written whole: the image cannot be restored then.
    let failure: (any Error)?

    init(
        bytes: [UInt8], isWhole: Bool, version: UInt8, objects: [StoredObject],
        failure: (any Error)?
    ) {
        (self.bytes, self.isWhole, self.version) = (bytes, isWhole, version)
        (self.objects, self.failure) = (objects, failure)
    }

    /// How much memory the image takes, in bytes.
    var size: Int { bytes.count + objects.count * 8 + 48 }
}

extension ObjectContext {
    /// The content of `object`, which must have been read; with its lists unless `isWhole` is
    /// `false` and its class leaves its content to its declared fields.
    ///
    /// References come back whatever happens meanwhile: to deleted objects, and to objects that
    /// were never inserted.
    final func image(of object: StoredObject, isWhole: Bool = true) -> ContentImage {
        let buffer = takeImageBuffer()
        defer { keepImageBuffer(buffer) }
        buffer.context = self
        let home = object.home
        let isWhole = isWhole || home?.keepsListsApart != true
        let objects = asImage {
            if isWhole {
                writeContent(of: object, to: buffer)
            } else {
                home?.fields.writeValues(object, to: buffer)
            }
        }
        return ContentImage(
            bytes: buffer.withUnsafeBytes { [UInt8]($0) }, isWhole: isWhole,
            version: type(of: object).version, objects: objects, failure: buffer.writeError)
    }

    /// Gives `object` the content of `image`. If the class refuses, the content is a new object's.
    final func restore(_ image: ContentImage, to object: StoredObject) throws {
        do {
            if let failure = image.failure { throw failure }
            let buffer = takeImageBuffer()
            defer { keepImageBuffer(buffer) }
            image.bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
            buffer.context = self
            buffer.versionOfData = image.version
            _ = try asImage(image.objects) {
                try withoutNotice(of: object) {
                    if image.isWhole {
                        try readContent(of: object, from: buffer)
                    } else {
                        try object.home?.fields.readValues(into: object, from: buffer)
                    }
                }
            }
        } catch {
            blank(object)
            throw error
        }
    }
}
