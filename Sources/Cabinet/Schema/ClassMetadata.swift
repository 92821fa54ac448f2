import CabinetBackend

/// What a store knows of one registered class.
public struct ClassMetadata: Hashable, Sendable {
    /// The name of the class's table and file.
    public let storageName: String
    /// What stands for the class in references of any class.
    public let number: UInt8
    /// The version that the program writes.
    public let version: UInt8
    /// The highest version that was ever in force in the store; ``version`` before the first save.
    public let highestVersion: UInt8
    /// How many records are saved.
    public let savedRows: Int
    /// How many objects are in memory.
    public let liveObjects: Int
    /// Fields of earlier programs that no field of the class continues, by the last names that they had.
    /// Records that have values of them keep these until they are next saved.
    public let unclaimedFields: [String]
}
