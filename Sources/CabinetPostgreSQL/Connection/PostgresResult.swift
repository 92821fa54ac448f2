#if PostgreSQL
    import CPostgreSQL

    /// An answer of the server, which is freed with it. Rows and columns are counted from 0; all is binary.
    ///
    /// Not `Sendable`: the thread has it that has asked.
    final class PostgresResult {
        let pointer: OpaquePointer
        let count: Int32

        init(_ pointer: OpaquePointer) {
            self.pointer = pointer
            count = PQntuples(pointer)
        }

        deinit { PQclear(pointer) }

        /// How many rows a statement has changed.
        var changed: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

        /// What was done: `COMMIT`, for example.
        var done: String { String(cString: PQcmdStatus(pointer)) }

        /// An integer of any size; 0 for NULL.
        func number(_ row: Int32, _ column: Int32) -> Int64 {
            var number: Int64 = 0
            let bytes = bytes(row, column)
            for (index, byte) in bytes.prefix(8).enumerated() {
                number = index == 0 ? Int64(Int8(bitPattern: byte)) : number << 8 | Int64(byte)
            }
            return number
        }

        /// Live as long as the answer. Empty for NULL.
        func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: PQgetvalue(pointer, row, column),
                count: Int(PQgetlength(pointer, row, column)))
        }

        func text(_ row: Int32, _ column: Int32) -> String {
            String(decoding: bytes(row, column), as: UTF8.self)
        }

        func isNull(_ row: Int32, _ column: Int32) -> Bool {
            PQgetisnull(pointer, row, column) != 0
        }
    }
#endif
