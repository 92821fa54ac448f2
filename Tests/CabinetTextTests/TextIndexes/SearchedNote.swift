import CabinetBackend
import Foundation
import TrustSupport

@testable import Cabinet

/// A class with a text index of each kind.
final class SearchedNote: StoredObject {
    @Field var title = ""
    @Field var body: String?
    @Field var code = ""
    @Field var year = 0

    convenience init(_ title: String, _ body: String? = nil, code: String = "") {
        self.init()
        (self.title, self.body, self.code) = (title, body, code)
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\SearchedNote.title),
            .text(\SearchedNote.body, tokenizer: .words(language: "en")),
            .text(\SearchedNote.code, tokenizer: .substring),
        ]
    }
}
