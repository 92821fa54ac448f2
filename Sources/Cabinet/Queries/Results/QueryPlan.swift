import CabinetBackend

/// How a store answers a query: the steps in their order, with the rows that each of them leaves.
///
/// ```swift
/// print(try store.explain(query))
/// // scan Song: 1000000 rows
/// // keep year > 1960 and rating >= 4: 3120 rows
/// // sort by title, the first 20: 20 rows
/// ```
///
/// `Sendable`: a value.
public struct QueryPlan: Hashable, Sendable {
    /// One step of a plan. `Sendable`: a value.
    public struct Step: Hashable, Sendable {
        /// What a step does.
        public enum Action: Hashable, Sendable {
            /// Goes back to a commit that only history knows, as of which there are no indexes.
            case goBack(CommitNumber)
            /// Looks at every object of the class of that storage name.
            case scan(className: String)
            /// Finds by text indexes what matches `query`.
            case search(indexes: [String], query: String)
            /// Reads the rows of the class that the index `name` has in `range`, and looks at those
            /// objects and at what is pending. If `isInOrder`, they come in the order of the query, and
            /// no more are looked at than its limit needs. An empty range stands for all rows.
            case index(name: String, className: String, range: String, isInOrder: Bool)
            /// Reads all that the query wants from the keys that the index `name` has in `range`, and
            /// looks at no record; or at one of each group, to have its value as it was stored. What is
            /// pending is looked at beside that. An empty range stands for all keys.
            case indexAlone(name: String, className: String, range: String)
            /// Leaves the rows that any of the so many steps before has found.
            case unite(Int)
            /// Leaves the rows that all of the so many steps before have found.
            case intersect(Int)
            /// Leaves what meets `condition`. If `makesObjects`, it can be asked only of objects,
            /// so that the step makes them; otherwise it is asked of records.
            case filter(condition: String, makesObjects: Bool)
            /// Sorts in memory by `keys`, and keeps no more than the first `keeping` rows; all if
            /// that is `nil`.
            case sort(keys: [String], keeping: Int?)
            /// Leaves out the first rows.
            case offset(Int)
            /// Leaves so many rows at most.
            case limit(Int)
        }

        /// What the step does.
        public let action: Action
        /// How many rows it was expected to leave before the query ran; `nil` if nothing tells.
        public let estimatedRows: Int?
        /// How many rows it left; `nil` if the query did not run.
        public internal(set) var rows: Int?
    }

    /// The steps in their order; those of one class stand together.
    public internal(set) var steps: [Step]
    /// How many records were read into objects to answer the query, apart from those that it gives;
    /// `nil` if the query did not run.
    public internal(set) var objectsMade: Int?
}

extension QueryPlan: CustomStringConvertible {
    /// One line a step, without a line break at the end.
    public var description: String {
        var lines = steps.map(\.description)
        if let objectsMade, objectsMade > 0 { lines.append("objects made: \(objectsMade)") }
        return lines.joined(separator: "\n")
    }
}

extension QueryPlan.Step: CustomStringConvertible {
    /// What the step does, and the rows that it leaves.
    public var description: String {
        let count = rows.map { "\($0) rows" } ?? estimatedRows.map { "about \($0) rows" }
        return count.map { "\(action): \($0)" } ?? "\(action)"
    }
}

extension QueryPlan.Step.Action: CustomStringConvertible {
    /// What the step does.
    public var description: String {
        switch self {
        case .goBack(let commit): "as of commit \(commit), without indexes"
        case .scan(let name): "scan \(name)"
        case .search(let indexes, let query):
            "search \(indexes.joined(separator: ", ")) for \(query)"
        case .index(let name, let className, let range, let isInOrder):
            "index \(name) of \(className)" + (isInOrder ? " in order" : "")
                + (range.isEmpty ? "" : ", \(range)")
        case .indexAlone(let name, let className, let range):
            "index \(name) of \(className)" + (range.isEmpty ? "" : ", \(range)")
                + ", from the index alone"
        case .unite(let count): "rows of any of the \(count)"
        case .intersect(let count): "rows of all \(count)"
        case .filter(let condition, let makesObjects):
            "keep \(condition)" + (makesObjects ? " (makes objects)" : "")
        case .sort(let keys, let count):
            "sort by \(keys.joined(separator: ", "))" + (count.map { ", the first \($0)" } ?? "")
        case .offset(let count): "leave out the first \(count)"
        case .limit(let count): "at most \(count)"
        }
    }
}
