#if PostgreSQL
    import CPostgreSQL
    import CabinetBackend

    extension PostgresConnection {
        /// Has the server take rows as they come, without an answer for each: `COPY`, in the binary form that
        /// its manual describes, which has columns as parameters have them.
        /// - Parameters:
        ///   - text: statements of which the last one is such a `COPY … FROM STDIN`.
        ///   - next: gives the next row; `nil`: there is none.
        func copy(
            _ text: String, _ next: () throws(BackendError) -> PostgresParameters?
        ) throws(BackendError) {
            let start = PQexec(handle, text)
            guard PQresultStatus(start) == PGRES_COPY_IN else {
                _ = try check(start)
                throw lost()
            }
            PQclear(start)
            var failure: BackendError?
            do throws(BackendError) {
                // A signature; no flags, and nothing more ahead.
                try put(
                    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
                )
                while let row = try next() { try put(row) }
                try put(Self.bytes(of: -1 as Int16))
            } catch {
                guard !isLost else { throw error }
                failure = error
            }
            // With a text the server takes nothing of it.
            guard PQputCopyEnd(handle, failure == nil ? nil : "given up") == 1 else { throw lost() }
            while let result = PQgetResult(handle) {
                do throws(BackendError) { _ = try check(result) } catch {
                    if isLost { throw error }
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }

        private func put(_ row: PostgresParameters) throws(BackendError) {
            try put(Self.bytes(of: Int16(row.count)))
            for (value, length) in zip(row.values, row.lengths) {
                try put(Self.bytes(of: value == nil ? -1 : length))
                guard let value, length > 0 else { continue }
                guard PQputCopyData(handle, value, length) == 1 else { throw lost() }
            }
        }

        private func put(_ bytes: [UInt8]) throws(BackendError) {
            let isTaken = bytes.withUnsafeBytes { bytes in
                PQputCopyData(
                    handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count))
            }
            guard isTaken == 1 else { throw lost() }
        }

        private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
    }
#endif
