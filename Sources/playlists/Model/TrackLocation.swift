import Foundation

/// Where a song's file is, written one way whatever program named it.
///
/// A file becomes `file:///…` with percent-encoding, as iTunes writes it, so that a song from
/// `Library.xml` and the same song from an `.m3u` have one location. Other URLs stay as they are.
enum TrackLocation {
    /// - Parameters:
    ///   - text: a URL, an absolute path (of Windows too), or a relative path.
    ///   - directory: the absolute path that a relative path starts from.
    static func url(from text: String, relativeTo directory: String) -> String {
        if text.isEmpty { return "" }
        if text.contains("://") { return standard(text) }
        if isWindowsPath(text) {
            return "file:///" + encoded(text.replacingOccurrences(of: "\\", with: "/"))
        }
        if text.hasPrefix("/") { return "file://" + encoded(text) }
        return "file://" + encoded(joined(directory, text))
    }

    /// Takes away `localhost`, which iTunes wrote into file URLs until version 10.
    static func standard(_ url: String) -> String {
        let old = "file://localhost/"
        return url.hasPrefix(old) ? "file:///" + url.dropFirst(old.count) : url
    }

    /// The path of a file URL, or the text itself if the path would not lead back to it.
    static func path(from url: String) -> String {
        guard url.hasPrefix("file:///"),
            let path = url.dropFirst("file://".count).removingPercentEncoding,
            !path.contains(where: \.isNewline),
            "file://" + encoded(path) == url
        else { return url }
        return path
    }

    private static func isWindowsPath(_ text: String) -> Bool {
        let start = Array(text.utf8.prefix(3))
        guard start.count == 3, start[1] == UInt8(ascii: ":") else { return false }
        return (start[0] | 0x20) >= UInt8(ascii: "a") && (start[0] | 0x20) <= UInt8(ascii: "z")
            && (start[2] == UInt8(ascii: "\\") || start[2] == UInt8(ascii: "/"))
    }

    /// Resolves `.` and `..` by name alone; nothing is looked up on disk.
    private static func joined(_ directory: String, _ relative: String) -> String {
        var parts = directory.split(separator: "/")
        for part in relative.split(separator: "/") where part != "." {
            if part == ".." {
                _ = parts.popLast()
            } else {
                parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Percent-encodes all bytes that a URL's path may not hold (RFC 3986, `pchar` and `/`).
    private static func encoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let plain = Set("-._~!$&'()*+,;=:@/".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(path.utf8.count)
        for byte in path.utf8 {
            let lower = byte | 0x20
            let isLetter = lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
            let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            if isLetter || isDigit || plain.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
