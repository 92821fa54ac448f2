/// Where the property at `storage` lies in `object`, for as long as that object lives.
///
/// An address that the compiler lends is good within the closure that it is lent to. So only a
/// distance leaves it, and the address is made of that and of the object's own. It compiles to the
/// same instructions. The key path is used just once, and that once the compiler sees through it to
/// the property: elsewhere each access would make it again, and would be looked up in the list of
/// accesses under way.
@inlinable @inline(__always)
func place<Object: StoredObject, Wrapper>(
    of storage: ReferenceWritableKeyPath<Object, Wrapper>, in object: Object
) -> UnsafeMutablePointer<Wrapper> {
    let start = UnsafeMutableRawPointer(Unmanaged.passUnretained(object).toOpaque())
    let distance = withUnsafeMutablePointer(to: &object[keyPath: storage]) {
        UnsafeMutableRawPointer($0) - start
    }
    return (start + distance).assumingMemoryBound(to: Wrapper.self)
}
