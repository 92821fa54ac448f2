import CabinetBackend

/// An object's content at one moment, for undo and to take back a delete that is denied. The bytes
/// lie behind the header, in one block of memory: those of `writeContent(to:)`, or what the fields
/// that are no lists hold.
final class ContentImage: ManagedBuffer<ContentImage.Header, UInt8> {
    struct Header {
        let count: Int
        /// Whether lists are part of it.
        let isWhole: Bool
        let version: UInt8
        /// Objects that have no row to be found by, in the order in which they are referred to.
        let objects: [StoredObject]
        /// Why the content could not be written whole: the image cannot be restored then.
        let failure: (any Error)?
    }

    static func make(
        _ bytes: UnsafeRawBufferPointer, isWhole: Bool, version: UInt8, objects: [StoredObject],
        failure: (any Error)?
    ) -> ContentImage {
        let image = create(minimumCapacity: bytes.count) { _ in
            Header(
                count: bytes.count, isWhole: isWhole, version: version, objects: objects,
                failure: failure)
        }
        image.withUnsafeMutablePointerToElements {
            UnsafeMutableRawBufferPointer(start: $0, count: bytes.count).copyMemory(from: bytes)
        }
        return unsafeDowncast(image, to: ContentImage.self)
    }

    var isWhole: Bool { withUnsafeMutablePointerToHeader { $0.pointee.isWhole } }
    var version: UInt8 { withUnsafeMutablePointerToHeader { $0.pointee.version } }
    var objects: [StoredObject] { withUnsafeMutablePointerToHeader { $0.pointee.objects } }
    var failure: (any Error)? { withUnsafeMutablePointerToHeader { $0.pointee.failure } }

    /// How much memory the image takes, in bytes.
    var size: Int {
        withUnsafeMutablePointerToHeader { $0.pointee.count + $0.pointee.objects.count * 8 + 48 }
    }

    /// Whether it was made of the same content.
    func isSame(as other: ContentImage) -> Bool {
        withUnsafeMutablePointers { header, bytes in
            other.withUnsafeMutablePointers { otherHeader, otherBytes in
                let count = header.pointee.count
                return count == otherHeader.pointee.count
                    && header.pointee.isWhole == otherHeader.pointee.isWhole
                    && header.pointee.objects.elementsEqual(otherHeader.pointee.objects, by: ===)
                    && UnsafeRawBufferPointer(start: bytes, count: count)
                        .elementsEqual(UnsafeRawBufferPointer(start: otherBytes, count: count))
            }
        }
    }

    func write(to buffer: DataBuffer) {
        withUnsafeMutablePointers { header, bytes in
            buffer.writeRawBytes(UnsafeRawBufferPointer(start: bytes, count: header.pointee.count))
        }
    }
}

extension ObjectContext {
    /// The content of `object`, which must have been read; without lists if `isWhole` is `false`
    /// and its fields are declared. References come back whatever happens meanwhile, also to
    /// objects that were never inserted.
    final func image(of object: StoredObject, isWhole: Bool = true) -> ContentImage {
        let image = takeImageBuffer()
        defer { keepImageBuffer(image) }
        let buffer = image.bytes
        buffer.context = self
        var (isWhole, version) = (isWhole, UInt8?.none)
        let isWritten: Void? = object.classReference?._withUnsafeGuaranteedRef { storedClass in
            version = storedClass.version
            isWhole = isWhole || !storedClass.keepsListsApart
            if !isWhole {
                storedClass.fields.writeValues(object, to: buffer)
            } else if storedClass.withContext({ $0 === self }) {
                storedClass.write(object, to: buffer)
            } else {
                writeContent(of: object, to: buffer)
            }
        }
        if isWritten == nil {
            isWhole = true
            writeContent(of: object, to: buffer)
        }
        return buffer.withUnsafeBytes {
            .make(
                $0, isWhole: isWhole, version: version ?? type(of: object).version,
                objects: image.references.objects, failure: buffer.writeError)
        }
    }

    /// A plain object with the content of `image`, which is one of an object of `storedClass`; without lists
    /// unless it is whole.
    final func copy(of image: ContentImage, as storedClass: StoredClass) throws -> StoredObject {
        try withBytes(of: image) { buffer in
            let copy = storedClass.type.init()
            if image.isWhole {
                try storedClass.read(into: copy, from: buffer)
            } else {
                try storedClass.fields.readValues(into: copy, from: buffer)
            }
            return copy
        }
    }

    /// Calls `body` with what `image` has, to be read.
    private final func withBytes<Result>(
        of image: ContentImage, _ body: (DataBuffer) throws -> Result
    ) throws -> Result {
        if let failure = image.failure { throw failure }
        let taken = takeImageBuffer()
        defer { keepImageBuffer(taken) }
        taken.references.objects = image.objects
        image.write(to: taken.bytes)
        taken.bytes.context = self
        taken.bytes.versionOfData = image.version
        return try body(taken.bytes)
    }

    /// Gives `object` the content of `image`. If the class refuses, the content is a new object's.
    final func restore(_ image: ContentImage, to object: StoredObject) throws {
        do {
            try withBytes(of: image) { buffer in
                try withoutNotice(of: object) {
                    let isRead: Void? = try object.classReference?._withUnsafeGuaranteedRef {
                        if !image.isWhole {
                            try $0.fields.readValues(into: object, from: buffer)
                        } else if $0.withContext({ $0 === self }) {
                            try $0.read(into: object, from: buffer)
                        } else {
                            try readContent(of: object, from: buffer)
                        }
                    }
                    if isRead == nil, image.isWhole { try readContent(of: object, from: buffer) }
                }
            }
        } catch {
            blank(object)
            throw error
        }
    }
}

extension ObjectContext {
    /// Calls `body`, which gives `object` another content; fields with indexes in `kept` stay.
    final func keeping(_ kept: Set<Int>, of object: StoredObject, _ body: () -> Void) {
        guard !kept.isEmpty, let storedClass = object.storedClass else { return body() }
        let entries = kept.sorted().map { storedClass.fields.entries[$0] }
        let image = takeImageBuffer()
        defer { keepImageBuffer(image) }
        image.bytes.context = self
        let base = Unmanaged.passUnretained(object).toOpaque()
        for entry in entries {
            entry.coder.write(at: UnsafeRawPointer(base + entry.offset), to: image.bytes)
        }
        body()
        image.bytes.versionOfData = storedClass.version
        withoutNotice(of: object) {
            for entry in entries {
                try? entry.coder.read(at: base + entry.offset, from: image.bytes)
            }
        }
        withExtendedLifetime(object) {}
    }
}
