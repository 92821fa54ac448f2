import CabinetBackend
import Foundation
import Testing

struct BackendErrorTests {
    /// The system's number alone says nothing to most people.
    @Test func theSystemsOwnWordsAreGiven() {
        let error = BackendError.system(operation: "open", path: "/a", code: ENOENT)
        #expect(
            error.description == "open failed on /a: No such file or directory (system error 2).")
    }
}
