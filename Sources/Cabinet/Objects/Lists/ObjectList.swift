import CabinetBackend

/// Objects in an order, each only a row until it is first asked for: for hand-written classes
/// whose lists are long and mostly read in part.
///
/// ```swift
/// final class Playlist: StoredObject {
///     private var storedSongs: ObjectList<Song> = []
///     var songs: ObjectList<Song> {
///         get { willRead(); return storedSongs }
///         set { willChange(); storedSongs = newValue }
///     }
///     override func writeContent(to buffer: DataBuffer) { buffer.writeReferenceList(storedSongs) }
///     override func readContent(from buffer: DataBuffer) throws {
///         storedSongs = try buffer.readReferenceList()
///     }
/// }
/// ```
///
/// It is used as an array is, and has a value's semantics. The bytes are those of
/// `writeReferences(_:to:)`: a property can change from `[Song]` to `ObjectList<Song>` and back.
///
/// What differs from an array: reading one takes 8 bytes an element and makes no object. The object
/// at a position is made when it is first asked for, and is the same for every list from then on;
/// until then the list does not keep it in memory. An object that was deleted by that time is
/// returned as a deleted object. After the store has closed, a position that was never asked for
/// gives a new plain object with initial values.
///
/// Appending and setting cost what they cost an array. Not `Sendable`: it belongs to its object.
@frozen
public struct ObjectList<Element: StoredObject> {
    /// `nil` if the list is empty and always was.
    @usableFromInline var slots: ObjectSlots?

    /// An empty list.
    @inlinable
    public init() {}

    init(_ slots: ObjectSlots?) { self.slots = slots }
}

extension ObjectList: RandomAccessCollection {
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { slots?.count ?? 0 }
    @inlinable public var count: Int { slots?.count ?? 0 }

    /// The object at `position`, which is made now if it was never asked for.
    ///
    /// - Precondition: the position is that of an object.
    @inlinable
    public subscript(position: Int) -> Element {
        get {
            guard let slots, UInt(bitPattern: position) < UInt(bitPattern: slots.count) else {
                preconditionFailure("no object at \(position) of \(count)")
            }
            return unsafeDowncast(slots.object(at: position), to: Element.self)
        }
        set { set(newValue, at: position) }
    }

    /// Whether `object` is in the list. Makes no object.
    public func contains(_ object: Element) -> Bool { slots?.position(of: object) != nil }

    /// The first position of `object`; `nil` if it is not in the list. Makes no object.
    public func firstIndex(of object: Element) -> Int? { slots?.position(of: object) }
}

extension ObjectList: ExpressibleByArrayLiteral {
    public init(arrayLiteral objects: Element...) { self.init(array: objects) }
}
