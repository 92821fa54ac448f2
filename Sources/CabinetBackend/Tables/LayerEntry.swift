/// What a layer says about one key.
package enum LayerEntry {
    /// Nothing: the layers below decide.
    case absent
    /// The key was deleted.
    case delete
    /// The key was put with this value, which lives as long as the layer.
    case value(UnsafeRawBufferPointer)
}
