/// Where the property at `storage` lies in `object`, for as long as that object lives.
///
/// An address that the compiler lends is good within the closure that it is lent to. So only a
/// distance leaves it, and the address is made of that and the object's own, by the same
/// instructions. The key path is used just once, where the compiler sees through it: elsewhere each
/// access would make it again.
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
