#if PostgreSQL
    import CPostgreSQL
    import CabinetBackend

    /// Where a store is: how its server is reached, and the schema that it has there. `Sendable`: a value.
    ///
    /// Each store has a schema of its own: `cabinet_` and its name. So its tables are called as any other
    /// store's, rights are granted and copies made store by store, and many stand in one database.
    struct PostgresAddress: Sendable {
        /// What libpq is told, by its keywords.
        private(set) var settings: [String: String] = [:]
        /// The name of the store's schema.
        let schema: String
        /// The address as a user would give it, without a password.
        let location: String

        /// The longest name of a store, in bytes: a server cuts names off behind 63.
        static let longestName = 55

        /// - Parameters:
        ///   - text: a URL as libpq takes it, or its keywords and values.
        ///   - store: the store's name; `nil`: the URL has it, as `store=NAME` among what stands behind `?`.
        init(_ text: String, store: String?) throws(BackendError) {
            let (rest, named) = Self.withoutStore(text)
            guard let name = store ?? named, Self.isName(name) else {
                throw .engine(
                    name: PostgresFailure.engine,
                    reason: "an address needs the name of a store, as an argument or in the URL "
                        + "as ?store=NAME: 1 to \(Self.longestName) letters, digits, '_', '-' or '.'."
                )
            }
            // What libpq says of an address that it does not understand may show a password.
            guard let options = PQconninfoParse(rest, nil) else {
                throw .engine(
                    name: PostgresFailure.engine,
                    reason: "the address of the store '\(name)' is none that libpq understands.")
            }
            defer { PQconninfoFree(options) }
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val {
                    settings[String(cString: keyword)] = String(cString: value)
                }
                option += 1
            }
            schema = "cabinet_" + name
            location = Self.location(settings, name)
            for (keyword, value) in Self.defaults where settings[keyword] == nil {
                settings[keyword] = value
            }
            settings["client_encoding"] = "UTF8"
        }

        /// Nothing that has a meaning in SQL, whatever quotes it stands in.
        private static func isName(_ name: String) -> Bool {
            (1...longestName).contains(name.utf8.count)
                && name.unicodeScalars.allSatisfy { letter in
                    letter.properties.isAlphabetic || letter.properties.numericType == .decimal
                        || "_-.".unicodeScalars.contains(letter)
                }
        }

        /// So that a server that is gone is noticed within a minute, in seconds but for the last.
        private static let defaults = [
            "application_name": "Cabinet", "connect_timeout": "10", "keepalives_idle": "20",
            "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "50000",
        ]

        /// How long it takes at most until it is clear that a host does not answer, in milliseconds.
        var timeout: Int64 {
            let seconds = settings["connect_timeout"].flatMap { Int64($0) } ?? 0
            return seconds > 0 ? min(seconds, 1 << 30) * 1000 : .max
        }

        /// The schema's name as SQL takes it.
        var quotedSchema: String { "\"\(schema)\"" }

        // MARK: The text of an address

        /// Takes the store's name out of a URL, as libpq refuses words that it does not know.
        private static func withoutStore(_ text: String) -> (String, store: String?) {
            guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"),
                let mark = text.firstIndex(of: "?")
            else { return (text, nil) }
            let key = "store="
            let words = text[text.index(after: mark)...].split(separator: "&")
            let others = words.filter { !$0.hasPrefix(key) }.joined(separator: "&")
            return (
                text[..<mark] + (others.isEmpty ? "" : "?" + others),
                words.first { $0.hasPrefix(key) }.flatMap { decoded($0.dropFirst(key.count)) }
            )
        }

        /// The text that a part of a URL stands for; `nil`: for none.
        private static func decoded(_ part: Substring) -> String? {
            var bytes: [UInt8] = []
            var rest = part.utf8
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                guard let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
                bytes.append(code)
                rest = rest.dropFirst(2)
            }
            return String(validating: bytes, as: UTF8.self)
        }

        private static func encoded(_ text: String) -> String {
            text.utf8.map { byte in
                let letter = Unicode.Scalar(byte)
                let isPlain = letter.isASCII && letter.properties.isAlphabetic
                return isPlain || "0123456789-._~".utf8.contains(byte)
                    ? String(letter)
                    : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }.joined()
        }

        private static func location(_ settings: [String: String], _ name: String) -> String {
            func part(_ keyword: String, before: String = "", after: String = "") -> String {
                settings[keyword].map { before + encoded($0) + after } ?? ""
            }
            return "postgresql://" + part("user", after: "@") + hosts(settings) + "/"
                + part("dbname") + "?store=" + encoded(name)
        }

        /// Each host with its port, if one is given for it or for all.
        private static func hosts(_ settings: [String: String]) -> String {
            func parts(_ keyword: String) -> [Substring] {
                (settings[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            }
            let (hosts, ports) = (
                parts(settings["host"] == nil ? "hostaddr" : "host"), parts("port")
            )
            return hosts.indices.map { index in
                let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
                let host =
                    hosts[index].contains(":")
                    ? "[\(hosts[index])]" : encoded(String(hosts[index]))
                return host + (port.isEmpty ? "" : ":\(port)")
            }.joined(separator: ",")
        }
    }
#endif
