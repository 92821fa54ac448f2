import Cabinet
import Testing

@testable import CabinetTestModel

struct ObjectListTrapTests {
    @Test func aPlaceThatIsNoneTraps() async {
        await #expect(processExitsWith: .failure) { _ = ObjectList<Song>()[0] }
        await #expect(processExitsWith: .failure) {
            var list: ObjectList = [Song("x")]
            list[-1] = Song("y")
        }
        await #expect(processExitsWith: .failure) {
            var list: ObjectList = [Song("x")]
            list.swapAt(0, 1)
        }
        await #expect(processExitsWith: .failure) {
            var list: ObjectList = [Song("x")]
            list.removeSubrange(0..<2)
        }
    }
}
