import CabinetBackend

extension StoredObject {
    /// The declared fields of the object's class, if it is in a store or written for one.
    private final func fields(for buffer: DataBuffer) -> FieldTable? {
        if let storedClass { return storedClass.fields }
        if let context = buffer.context {
            return unsafeDowncast(context, to: ObjectContext.self).fields(of: self)
        }
        do { return try FieldTable(type(of: self)) } catch {
            buffer.fail(error)
            return nil
        }
    }

    final func writeFields(to buffer: DataBuffer) {
        fields(for: buffer)?.write(self, to: buffer)
    }

    final func readFields(from buffer: DataBuffer) throws {
        let context = buffer.context.map { unsafeDowncast($0, to: ObjectContext.self) }
        if let storedClass = storedClass ?? context?.storedClass(of: type(of: self)),
            storedClass.isDeclared
        {
            // What the class's own fields wrote is never read by way of `readContent(from:)`.
            if buffer.remaining == 0 { return }
            throw StoreError.handWrittenRecord(
                class: storedClass.name, row: rowID, version: buffer.versionOfData)
        }
        try fields(for: buffer)?.read(into: self, from: buffer)
    }

    /// Whether the field holds the value already, once the content was read. `false`: not known.
    @usableFromInline @inline(never)
    final func holds(_ value: UnsafeRawPointer, at address: UnsafeRawPointer) -> Bool {
        guard let classReference else { return false }
        if state.contains(.fault) { storedClass?.context.fetch(self) }
        guard state.isDisjoint(with: [.unreadable, .deleted]) else { return false }
        let base = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        return classReference._withUnsafeGuaranteedRef {
            $0.fields.holds(value, at: address, offset: address - base)
        }
    }

    /// What the first properties of ``StoredObject`` itself are called, and where they lie.
    final var ownOffsets: [(name: String, offset: Int)] {
        let base = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        return [
            ("state", withUnsafePointer(to: &state) { UnsafeRawPointer($0) - base }),
            ("rowID", withUnsafePointer(to: &rowID) { UnsafeRawPointer($0) - base }),
        ]
    }
}

/// Finds out whether a class writes its content itself: if not, it asks here for the fields.
final class AutomaticContentProbe: ObjectContext {
    private var asked = 0

    override func fields(of object: StoredObject) -> FieldTable? {
        asked += 1
        return nil
    }

    /// Whether `object`, which is in no store, leaves its content to its fields altogether.
    static func isWritten(by object: StoredObject) -> Bool {
        let probe = AutomaticContentProbe()
        let buffer = DataBuffer()
        buffer.context = probe
        object.writeContent(to: buffer)
        buffer.context = nil
        return probe.asked == 1 && buffer.count == 0 && buffer.writeError == nil
    }
}
