import Cabinet

@testable import CabinetTestModel

/// What a store should hold, in plain values under the rows: the model for random histories.
struct World: Equatable {
    struct SongValue: Equatable {
        var title = ""
        var seconds: UInt32 = 0
    }
    struct ListValue: Equatable {
        var title = ""
        var songs: [RowID] = []
    }
    struct NodeValue: Equatable {
        var name = ""
        var isLocked = false
        var children: [RowID] = []
    }

    var songs: [RowID: SongValue] = [:]
    var lists: [RowID: ListValue] = [:]
    var nodes: [RowID: NodeValue] = [:]

    init() {}

    /// What `store` shows.
    init(_ store: Store) throws {
        for song in try store.objects(of: Song.self) {
            songs[song.rowID] = SongValue(title: song.title, seconds: song.seconds)
        }
        for list in try store.objects(of: Playlist.self) {
            lists[list.rowID] = ListValue(title: list.title, songs: list.songs.map(\.rowID))
        }
        for node in try store.objects(of: Node.self) {
            nodes[node.rowID] = NodeValue(
                name: node.name, isLocked: node.isLocked, children: node.children.map(\.rowID))
        }
    }

    mutating func deleteSong(_ row: RowID) {
        songs[row] = nil
        for list in lists.keys { lists[list]?.songs.removeAll { $0 == row } }
    }

    /// Whether the node could be deleted with all that hangs on it; if not, nothing has changed.
    mutating func deleteNode(_ row: RowID) -> Bool {
        var doomed: Set<RowID> = []
        var waiting = [row]
        while let next = waiting.popLast() {
            guard let node = nodes[next], doomed.insert(next).inserted else { continue }
            if node.isLocked { return false }
            waiting += node.children
        }
        for row in doomed { nodes[row] = nil }
        for row in nodes.keys { nodes[row]?.children.removeAll { doomed.contains($0) } }
        return true
    }
}
