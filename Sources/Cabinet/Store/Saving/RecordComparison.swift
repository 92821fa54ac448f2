import CLibrary
import CabinetBackend

/// Tells which declared fields of a class two of its records have other values in.
final class RecordComparison {
    private unowned let storedClass: StoredClass
    private let codec: RecordCodec
    private let shape: RecordShape
    private let types: [FieldType]

    init(_ storedClass: StoredClass, _ codec: RecordCodec) {
        (self.storedClass, self.codec) = (storedClass, codec)
        shape = RecordShape(storedClass.fields.entries)
        types = storedClass.fields.entries.map(\.coder.type)
    }

    /// The fields that differ; whole for a hand-written record, or one of another layout.
    func changedFields(
        from former: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) -> FieldSet {
        if former.count == new.count, let one = former.baseAddress, let other = new.baseAddress,
            memcmp(one, other, new.count) == 0
        {
            return FieldSet()
        }
        guard var old = codec.contentOffset(of: former, in: storedClass),
            var start = codec.contentOffset(of: new, in: storedClass),
            let before = former.baseAddress, let now = new.baseAddress
        else { return .whole }
        var changed = FieldSet()
        for field in types.indices {
            guard let oldEnd = shape.end(of: field, from: old, in: before, former.count),
                let end = shape.end(of: field, from: start, in: now, new.count)
            else { return .whole }
            let one = UnsafeRawBufferPointer(start: before + old, count: oldEnd &- old)
            let other = UnsafeRawBufferPointer(start: now + start, count: end &- start)
            if !types[field].areSame(one, other) { changed.insert(field) }
            (old, start) = (oldEnd, end)
        }
        return changed
    }
}
