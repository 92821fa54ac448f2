/// What becomes of the objects that a relationship leads to when the object that has it is deleted.
public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
    /// They stay, and forget the object. Likewise the relationship forgets at once those of its
    /// objects that are deleted themselves.
    case nullify
    /// They are deleted too, by their own rules.
    case cascade
    /// The object cannot be deleted while there are any that stay.
    case deny
    /// Nothing. A reference to an object that is deleted is `nil`, and a list does not have it, though
    /// the record that holds it keeps the row: if the object comes back, so does the reference.
    case noAction
    /// Those that no object refers to any more, not even they themselves, are deleted, too. One stays if a record that
    /// may refer to it cannot be read. Records of classes that the program has not registered do not count.
    case cascadeWhenLastReference
}
