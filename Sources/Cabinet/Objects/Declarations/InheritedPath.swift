/// Whether a key path of a subclass stands for a superclass's property, as its accessors have it.
///
/// Key paths of different root classes are never equal. The source is therefore what the runtime
/// compares in them: the one component of a computed property is identified by the descriptor of its
/// getter, in the table of methods of the class that declares it (Swift's
/// `docs/ABI/TypeMetadata.rst`, "Nominal Type Descriptor"). The getter's place in the table says, too,
/// where the metadata of a subclass have the method that it calls, so an override is seen.
///
/// It is trusted only if it is right about classes made for the purpose; otherwise queries of
/// subclasses ask objects for inherited properties, and are as right, and an inherited index needs
/// a name.
enum InheritedPath {
    /// Whether `path`, read from class `type`, gives what `owner` declares as `declared`.
    static func stands(
        _ path: AnyKeyPath, for declared: AnyKeyPath, of owner: AnyClass, in type: AnyClass
    ) -> Bool { isTrusted && isSame(path, declared, of: owner, in: type) }

    private static func isSame(
        _ path: AnyKeyPath, _ declared: AnyKeyPath, of owner: AnyClass, in type: AnyClass
    ) -> Bool {
        guard let getter = getter(of: declared),
            path == declared || self.getter(of: path) == getter,
            let slot = MethodTable(owner)?.slot(of: getter)
        else { return false }
        return word(of: type, at: slot) == word(of: owner, at: slot)
    }

    private static func word(of type: AnyClass, at slot: Int) -> UInt {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: slot, as: UInt.self)
    }

    // MARK: Key paths

    /// The size of a computed component with a setter: head, getter's descriptor, two functions.
    private static var componentSize: UInt32 { 32 }

    /// The descriptor of the getter of a key path of one computed property; `nil` for another.
    private static func getter(of path: AnyKeyPath) -> UInt? {
        // Behind the object's head and the text for key-value coding.
        let buffer = unsafeBitCast(path, to: UnsafeRawPointer.self) + 24
        guard buffer.load(as: UInt32.self) & 0xFF_FFFF == componentSize else { return nil }
        // It has a setter and no arguments, and is known by the descriptor of its getter.
        guard buffer.load(fromByteOffset: 8, as: UInt32.self) & 0x7FF8_0000 == 0x0240_0000 else {
            return nil
        }
        return buffer.load(fromByteOffset: 16, as: UInt.self)
    }

    // MARK: Trust

    private class Declaring {
        var value = 1
        var stored: Int {
            get { value }
            set { value = newValue }
        }
        var other: Int {
            get { value + 1 }
            set { value = newValue }
        }
    }

    private class Inheriting: Declaring {
        var further: Int {
            get { stored }
            set { stored = newValue }
        }
    }

    private final class Overriding: Inheriting {
        override var stored: Int {
            get { super.stored }
            set { super.stored = newValue }
        }
    }

    /// Where the layout is no stable ABI, only for compilers whose layout is known.
    #if canImport(ObjectiveC) || compiler(<6.4)
        private static let isLayoutKnown = true
    #else
        private static let isLayoutKnown = false
    #endif

    private static let isTrusted: Bool = {
        guard isLayoutKnown else { return false }
        func isStored(_ path: AnyKeyPath, in type: AnyClass) -> Bool {
            isSame(path, \Declaring.stored, of: Declaring.self, in: type)
        }
        return isStored(\Declaring.stored, in: Inheriting.self)
            && isStored(\Inheriting.stored, in: Inheriting.self)
            && !isStored(\Declaring.other, in: Inheriting.self)
            && !isStored(\Inheriting.other, in: Inheriting.self)
            && !isStored(\Inheriting.further, in: Inheriting.self)
            && !isStored(\Declaring.stored, in: Overriding.self)
            && !isStored(\Inheriting.stored, in: Overriding.self)
            && !isStored(\Overriding.stored, in: Overriding.self)
    }()
}

/// The methods that a class declares itself, as its descriptor lists them.
private struct MethodTable {
    #if canImport(ObjectiveC)
        private static let flagsOffset = 40
    #else
        private static let flagsOffset = 16
    #endif
    private static let isGeneric: UInt32 = 1 << 7
    private static let hasTable: UInt32 = 1 << 31
    private static let hasResilientSuperclass: UInt32 = 1 << 29
    private static let isClass: UInt32 = 16
    /// A getter of an object, not of a class.
    private static let getter: UInt32 = 0x12
    private static let entrySize = 8

    /// Where the descriptors of methods begin.
    private let start: UInt
    private let count: Int
    /// Where the metadata have the first method, in bytes.
    private let firstSlot: Int

    /// `nil` for a class without such a table, or with one not known to lie where most do.
    init?(_ type: AnyClass) {
        let descriptor = unsafeBitCast(type, to: UnsafeRawPointer.self)
            .load(fromByteOffset: Self.flagsOffset + 24, as: UnsafeRawPointer.self)
        let flags = descriptor.load(as: UInt32.self)
        guard flags & 0x1F == Self.isClass, flags & Self.hasTable != 0,
            flags & (Self.isGeneric | Self.hasResilientSuperclass) == 0
        else { return nil }
        // Behind the fixed part, and what is there of classes whose metadata are completed at run time.
        var table = descriptor + 44
        switch flags >> 16 & 3 {
        case 0: break
        case 1: table += 12
        default: return nil
        }
        firstSlot = Int(table.load(as: UInt32.self)) * MemoryLayout<UInt>.size
        count = Int(table.load(fromByteOffset: 4, as: UInt32.self))
        start = UInt(bitPattern: table + 8)
    }

    /// Where metadata have the method with that descriptor; `nil` if it is no getter of the class.
    func slot(of method: UInt) -> Int? {
        guard method >= start, method - start < UInt(count * Self.entrySize),
            (method - start) % UInt(Self.entrySize) == 0,
            let descriptor = UnsafeRawPointer(bitPattern: method),
            descriptor.load(as: UInt32.self) & 0x1F == Self.getter
        else { return nil }
        return firstSlot + Int(method - start) / Self.entrySize * MemoryLayout<UInt>.size
    }
}
