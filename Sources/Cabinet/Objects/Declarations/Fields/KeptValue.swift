import CabinetBackend

/// The bytes of one field, kept beside a stored object while the field lacks their value.
typealias KeptValue = ManagedBuffer<KeptBytes, UInt8>

/// What is known of bytes that are kept.
struct KeptBytes {
    enum Standing: UInt8 {
        /// The field was not touched yet: its memory holds what it held before.
        case untouched
        /// Decoding them failed, and the field has its initial value.
        case undecodable
        /// They are an unknown raw value, and the field has the one declared for that.
        case unknown
    }

    // The store owns its classes, and these their fields.
    unowned(unsafe) let coder: KeepingCoder
    let count: Int
    var standing: Standing
    /// Why they are undecodable.
    var error: (any Error)?
    /// Those of another field of the object.
    var next: KeptValue?
}

extension ManagedBuffer<KeptBytes, UInt8> {
    static func make(
        _ bytes: UnsafeRawBufferPointer, _ coder: KeepingCoder, _ standing: KeptBytes.Standing
    ) -> KeptValue {
        let made = KeptValue.create(minimumCapacity: bytes.count) { _ in
            KeptBytes(coder: coder, count: bytes.count, standing: standing)
        }
        made.withUnsafeMutablePointerToElements { elements in
            UnsafeMutableRawBufferPointer(start: elements, count: bytes.count)
                .copyMemory(from: bytes)
        }
        return unsafeDowncast(made, to: KeptValue.self)
    }

    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeMutablePointers { header, elements in
            try body(UnsafeRawBufferPointer(start: elements, count: header.pointee.count))
        }
    }
}

extension StoredObject {
    final func keptValue(of coder: KeepingCoder) -> KeptValue? {
        guard state.contains(.keepsBytes), let storedClass else { return nil }
        var kept = storedClass.kept[rowID]
        while let one = kept, one.header.coder !== coder { kept = one.header.next }
        return kept
    }

    private final func keptValue(at address: UnsafeRawPointer) -> KeptValue? {
        let offset = address - UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        // Other fields are touched, too, while bytes are kept.
        guard let storedClass, storedClass.fields.keepingOffsets.contains(offset) else {
            return nil
        }
        var kept = storedClass.kept[rowID]
        while let one = kept, one.header.coder.offset != offset { kept = one.header.next }
        return kept
    }

    /// Keeps `bytes` for the field of `coder` in place of others. The object is in a store.
    final func keep(
        _ bytes: UnsafeRawBufferPointer, for coder: KeepingCoder, _ standing: KeptBytes.Standing
    ) {
        dropKept(of: coder)
        guard let storedClass else { return }
        let value = KeptValue.make(bytes, coder, standing)
        if state.contains(.keepsBytes) { value.header.next = storedClass.kept[rowID] }
        storedClass.kept[rowID] = value
        state.formUnion(.keepsBytes)
    }

    /// Keeps no bytes for the field of `coder`: its memory has the value.
    final func dropKept(of coder: KeepingCoder) {
        guard state.contains(.keepsBytes), let storedClass else { return }
        var left: [KeptValue] = []
        var kept = storedClass.kept.removeValue(forKey: rowID)
        var isMended = false
        while let one = kept {
            kept = one.header.next
            if one.header.coder === coder {
                isMended = one.header.error != nil
            } else {
                left.append(one)
            }
        }
        for (index, one) in left.enumerated() {
            one.header.next = index + 1 < left.count ? left[index + 1] : nil
        }
        if let first = left.first {
            storedClass.kept[rowID] = first
        } else {
            state.subtract(.keepsBytes)
        }
        guard isMended, !state.contains(.unreadable) else { return }
        storedClass.fetchErrors[rowID] = left.lazy.compactMap(\.header.error).first
    }

    /// As ``dropKept(of:)``, of the field at `address`, which is being given a value.
    @usableFromInline @inline(never)
    final func dropKept(at address: UnsafeRawPointer) {
        if let kept = keptValue(at: address) { dropKept(of: kept.header.coder) }
    }

    /// The field at `address` is touched: its value is decoded if that has not happened yet.
    @inline(never)
    final func decodeKept(at address: UnsafeRawPointer) {
        guard let kept = keptValue(at: address), kept.header.standing == .untouched else { return }
        if let error = kept.header.coder.decode(kept, in: self) {
            storedClass?.context.noteUndecodable(self, error)
        }
    }

    /// The field at `address` is about to be edited: a save must not replace undecodable bytes.
    @inline(never)
    final func prepareEdit(at address: UnsafeRawPointer) {
        decodeKept(at: address)
        guard let kept = keptValue(at: address) else { return }
        if kept.header.standing == .undecodable {
            state.formUnion(.unreadable)
        } else {
            dropKept(of: kept.header.coder)
        }
    }

    /// Decodes all untouched fields: the object leaves its store. Undecodable ones become initial.
    final func decodeAllKept() {
        guard state.contains(.keepsBytes), let storedClass else { return }
        var kept = storedClass.kept[rowID]
        while let one = kept {
            kept = one.header.next
            if one.header.standing == .untouched { _ = one.header.coder.decode(one, in: self) }
        }
        storedClass.kept[rowID] = nil
        state.subtract(.keepsBytes)
    }
}
