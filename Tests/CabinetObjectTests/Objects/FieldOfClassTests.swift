import Cabinet
import Testing

/// A field does not notice what becomes of an object that it holds, so classes are refused: once they were taken,
/// and changes in place were lost.
struct FieldOfClassTests {
    @Test(arguments: [
        HoldsBox.self, MayHoldBox.self, HoldsBoxes.self, HoldsNamedBoxes.self,
        HoldsNestedBoxes.self,
    ])
    func aClassIsRefused(_ type: StoredObject.Type) throws {
        let error = #expect(throws: StoreError.self) {
            try Store(inMemory: [type]).close()
        }
        guard case .cannotStore(let name, let field, _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(name == "\(type)" && field == "held")
    }
}

private final class Box: Codable {
    var number = 0
}

private final class HoldsBox: StoredObject {
    @Field var held = Box()
}

private final class MayHoldBox: StoredObject {
    @Field var held: Box?
}

private final class HoldsBoxes: StoredObject {
    @Field var held: [Box] = []
}

private final class HoldsNamedBoxes: StoredObject {
    @Field var held: [String: Box] = [:]
}

private final class HoldsNestedBoxes: StoredObject {
    @Field var held: [[Box?]]?
}
