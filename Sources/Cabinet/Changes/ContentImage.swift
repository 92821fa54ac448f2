import CabinetBackend

/// An object's content as it was at one moment, kept in memory: for undo, and to take back what a
/// delete rule did before it was denied.
struct ContentImage {
    /// What `writeContent(to:)` wrote, or a record as it was stored.
    let bytes: [UInt8]
    /// The class version that wrote the bytes.
    let version: UInt8
    /// Objects that have no row to be found by, in the order in which they are referred to.
    let objects: [StoredObject]

    /// How much memory the image takes, in bytes.
    var size: Int { bytes.count + objects.count * 8 + 32 }
}

extension ObjectContext {
    /// The content of `object`, which must have been read.
    ///
    /// References come back whatever happens meanwhile: to deleted objects, and to objects that
    /// were never inserted.
    final func image(of object: StoredObject) -> ContentImage {
        let buffer = DataBuffer()
        buffer.context = self
        let outer = (referenceMode, imageObjects)
        (referenceMode, imageObjects) = (.image, [])
        defer { (referenceMode, imageObjects) = outer }
        object.writeContent(to: buffer)
        let bytes = buffer.withUnsafeBytes { [UInt8]($0) }
        return ContentImage(
            bytes: bytes, version: type(of: object).version, objects: imageObjects)
    }

    /// Gives `object` the content of `image`. If the class refuses, the content is a new object's.
    final func restore(_ image: ContentImage, to object: StoredObject) throws {
        let buffer = DataBuffer(capacity: image.bytes.count)
        image.bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
        buffer.context = self
        buffer.versionOfData = image.version
        let outer = (referenceMode, imageObjects)
        (referenceMode, imageObjects) = (.image, image.objects)
        defer { (referenceMode, imageObjects) = outer }
        do {
            try withoutNotice(of: object) { try object.readContent(from: buffer) }
        } catch {
            blank(object)
            throw error
        }
    }
}
