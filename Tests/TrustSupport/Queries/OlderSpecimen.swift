import Cabinet
import Foundation

/// As ``Specimen``, of a program that knows no indexes.
final class OlderSpecimen: StoredObject {
    @Field var title = ""
    @Field var subtitle: String?
    @Field var year = 0
    @Field var rating: Int32 = 0
    @Field var code: UInt8 = 0
    @Field var weight: Int64 = 0
    @Field var plays: UInt64?
    @Field var score = 0.0
    @Field var tempo: Float = 0
    @Field var level: Double?
    @Field var released = Date(timeIntervalSinceReferenceDate: 0)
    @Field var seen: Date?
    @Field var isLive = false
    @Field var kind = SpecimenKind.plain
    @Field var tags: [String] = []
    @Field var number = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Field var price: Decimal = 0
    @Field var bytes = Data()
    @One var source: SpecimenSource?
    @Many var friends: [SpecimenSource]

    override class var storageName: String { "Specimen" }
}

extension SpecimenValues {
    /// Gives `object` some of the values.
    mutating func setSome(of other: SpecimenValues, _ object: OlderSpecimen) {
        (title, subtitle, year, rating) = (other.title, other.subtitle, other.year, other.rating)
        (code, plays, level, score) = (other.code, other.plays, other.level, other.score)
        object.title = title
        object.subtitle = subtitle
        object.year = year
        object.rating = rating
        object.code = code
        object.plays = plays
        object.level = level
        object.score = score
    }
}
