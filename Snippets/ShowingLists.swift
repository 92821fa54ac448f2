import Cabinet
import Foundation
import Observation

final class Errand: StoredObject {
    @Field var title = ""
    @Field var isDone = false
}

@MainActor @Observable
final class ErrandsModel {
    private let store: Store
    private(set) var errands: LiveObjects<Errand>

    var showsDone = false {
        didSet { if showsDone != oldValue { find() } }
    }

    /// Why what is shown may be old.
    var problem: String? { (searchFailure ?? errands.failure).map { "\($0)" } }
    private var searchFailure: (any Error)?

    init(_ container: StoreContainer) throws {
        store = try container.makeStore()
        store.refreshesAutomatically = true
        errands = try Self.errands(in: store, withDone: false)
    }

    private static func errands(in store: Store, withDone: Bool) throws -> LiveObjects<Errand> {
        let all = store.query(Errand.self).sorted(by: \.title)
        return try (withDone ? all : all.filter(#Predicate { !$0.isDone })).live()
    }

    private func find() {
        do {
            errands = try Self.errands(in: store, withDone: showsDone)
            searchFailure = nil
        } catch {
            searchFailure = error
        }
    }

    func finish(_ errand: Errand) throws {
        errand.isDone = true
        try store.save()
    }
}
