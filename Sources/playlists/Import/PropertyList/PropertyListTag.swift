/// One tag of an XML property list, by the document type "PropertyList-1.0.dtd" of Apple.
struct PropertyListTag: Hashable, Sendable {
    enum Element: String, Sendable {
        case plist, dict, array, key, string, integer, real, date, data
        case yes = "true"
        case no = "false"
    }

    enum Form: Sendable {
        /// `<key>`
        case opening
        /// `</key>`
        case closing
        /// `<key/>`
        case empty
    }

    var element: Element
    var form: Form
    /// The byte of its `<`.
    var offset: Int

    /// As it would be written, for messages.
    var text: String {
        switch form {
        case .opening: "<\(element.rawValue)>"
        case .closing: "</\(element.rawValue)>"
        case .empty: "<\(element.rawValue)/>"
        }
    }
}
