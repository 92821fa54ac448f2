import playlists

/// Where the program begins. All of it is in a target of its own, which other programs may use
/// too: one that begins somewhere cannot be used by another.
@main
struct Main {
    static func main() async { await Playlists.main() }
}
