import CForking
import CSystem
import Testing

struct ProcessMarkTests {
    @Test func aProcessKeepsItsNumber() {
        let number = cabinet_process_number()
        #expect(number != 0)
        #expect(cabinet_process_number() == number)
        #expect(cabinet_process_mark() == number)
    }

    @Test func aForkedProcessHasNone() {
        _ = cabinet_process_number()
        #expect(cabinet_mark_in_child(0) == 0)
    }

    #if os(Linux)
        /// The C library calls no handler for such a child; the kernel empties the page.
        @Test func norHasOneOfThePlainSystemCall() {
            _ = cabinet_process_number()
            #expect(cabinet_mark_in_child(1) == 0)
        }
    #endif
}
