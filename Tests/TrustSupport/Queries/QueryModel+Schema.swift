import Cabinet

extension Specimen {
    /// Indexes that may be there or not, of them some that the class declares. Each with its name.
    static let optionalIndexes: [(name: String, index: Index)] = [
        ("title.year", .ordered(\Specimen.title, \Specimen.year)),
        ("year", .ordered(\Specimen.year)),
        ("isLive.rating.code", .ordered(\Specimen.isLive, \Specimen.rating, \Specimen.code)),
        ("score", .ordered(\Specimen.score)),
        ("level", .ordered(\Specimen.level)),
        ("kind", .ordered(\Specimen.kind)),
        ("source", .ordered(\Specimen.source)),
        ("tags", .elements(of: \Specimen.tags)),
        ("a", .ordered(\Specimen.year, \Specimen.title, named: "a")),
        ("b", .ordered(\Specimen.kind, \Specimen.weight, named: "b")),
        ("c", .ordered(\Specimen.source, \Specimen.rating, \Specimen.year, named: "c")),
        ("d", .ordered(\Specimen.seen, \Specimen.isLive, \Specimen.plays, named: "d")),
        ("e", .ordered(\Specimen.tempo, \Specimen.score, \Specimen.level, named: "e")),
        ("f", .ordered(\Specimen.code, \Specimen.subtitle, named: "f")),
        ("g", .ordered(\Specimen.title, named: "g", where: { $0.isLive })),
        ("h", .ordered(\Specimen.price, \Specimen.number, \Specimen.year, named: "h")),
        ("i", .ordered(\Specimen.bytes, \Specimen.kind, named: "i")),
        ("j", .computed(named: "j") { (specimen: Specimen) in specimen.loudTitle }),
    ]
}

extension QueryModel {
    /// Adds an index, or drops one. What is added is built while queries go on, or at once.
    func changeSchema() throws {
        let place = random.below(Specimen.optionalIndexes.count)
        let (name, index) = Specimen.optionalIndexes[place]
        if random.once(in: 2) {
            try store.indexes.register(index)
        } else {
            do { try store.indexes.unregister(named: name, of: Specimen.self) } catch StoreError
                .badIndex
            {}
        }
        if random.once(in: 2) { try store.indexes.build() }
    }
}
