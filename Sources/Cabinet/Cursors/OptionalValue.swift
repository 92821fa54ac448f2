/// An optional whose type is not known where it is used.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var wrappedValue: Any? { map { $0 as Any } }
}
