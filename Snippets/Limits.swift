import Cabinet

final class Song: StoredObject {
    @Field var title = ""
    @Field var year: UInt16 = 0
}

func songs(from years: ClosedRange<UInt16>, in store: Store) throws -> [Song] {
    try store.objects(of: Song.self)
        .filter { years.contains($0.year) }
        .sorted { $0.title < $1.title }
}
