import CabinetBackend

/// What a save has left of an object that steps are about, and what others had changed of it by then.
///
/// UInt16 layout, UInt8 1 for an object, 0 for none; of an object UInt8 class version, UInt32 length, bytes of the
/// content. Then UInt32 count of changes that others have made, and of each: UInt32 number, UInt8 flags
/// (1 as a whole, 2 binds the object), UInt16 count and UInt16 fields, UInt16 count of lists, and of each
/// UInt16 field, UInt32 count and UInt64 class number and row.
struct KeptContent {
    /// A copy of the object; `nil`: there was none, or it cannot be read any more.
    var object: StoredObject?
    var isThere = false
    var edits: [ForeignEdits.Edit] = []
}

extension StepCoder {
    /// - Parameter object: `nil` for one that was deleted.
    func content(
        of object: StoredObject?, _ storedClass: StoredClass, _ edits: [ForeignEdits.Edit]
    ) -> [UInt8] {
        let buffer = DataBuffer()
        buffer.writeUInt16(Self.layout(of: storedClass))
        let image = object.map { store.image(of: $0) }
        if let image, image.failure == nil, image.objects.isEmpty {
            buffer.writeUInt8(1)
            write(image, to: buffer)
        } else {
            // Of what cannot be written it counts as changed by others.
            buffer.writeUInt8(0)
        }
        buffer.writeUInt32(UInt32(edits.count))
        for edit in edits { write(edit, to: buffer) }
        return buffer.withUnsafeBytes { [UInt8]($0) }
    }

    private func write(_ edit: ForeignEdits.Edit, to buffer: DataBuffer) {
        buffer.writeUInt32(edit.serial)
        buffer.writeUInt8((edit.isWhole ? 1 : 0) | (edit.bindsObject ? 2 : 0))
        buffer.writeUInt16(UInt16(edit.fields.count))
        for field in edit.fields.inOrder() { buffer.writeUInt16(UInt16(field)) }
        buffer.writeUInt16(UInt16(edit.members.count))
        for (field, words) in edit.members.inOrder(by: { $0.key < $1.key }) {
            buffer.writeUInt16(UInt16(field))
            buffer.writeUInt32(UInt32(words.count))
            for word in words.inOrder() { buffer.writeUInt64(word) }
        }
    }

    /// Reads it, as far as it can be understood: what cannot counts as changed by others.
    func content(_ bytes: [UInt8], _ storedClass: StoredClass) -> KeptContent {
        let buffer = DataBuffer()
        bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
        var content = KeptContent()
        do {
            let layout = try buffer.readUInt16()
            content.isThere = try buffer.readUInt8() == 1
            guard layout == Self.layout(of: storedClass) else { return content }
            if content.isThere {
                let image = try readImage(buffer, isWhole: true)
                content.object = try? store.copy(of: image, as: storedClass)
            }
            let count = storedClass.fields.entries.count
            for _ in 0..<(try buffer.readUInt32()) {
                let edit = try readEdit(buffer)
                guard edit.fields.allSatisfy({ $0 < count }) else { break }
                content.edits.append(edit)
            }
        } catch { content.object = nil }
        return content
    }

    private func readEdit(_ buffer: DataBuffer) throws(DataBufferError) -> ForeignEdits.Edit {
        let serial = try buffer.readUInt32()
        let flags = try buffer.readUInt8()
        var edit = ForeignEdits.Edit(bindsObject: flags & 2 != 0)
        (edit.serial, edit.isWhole) = (serial, flags & 1 != 0)
        for _ in 0..<(try buffer.readUInt16()) { edit.fields.insert(Int(try buffer.readUInt16())) }
        for _ in 0..<(try buffer.readUInt16()) {
            let field = Int(try buffer.readUInt16())
            var words: Set<UInt64> = []
            for _ in 0..<(try buffer.readUInt32()) { words.insert(try buffer.readUInt64()) }
            edit.members[field] = words
        }
        return edit
    }
}
