#if PostgreSQL
    import CPostgreSQL

    /// The parameters of a statement, in the server's binary form.
    ///
    /// Not `Sendable`: it belongs to one statement.
    final class PostgresParameters {
        /// The server's numbers of types.
        enum Kind {
            static let bytes: Oid = 17
            static let int8: Oid = 20
            static let text: Oid = 25
            static let int4s: Oid = 1007
            static let int8s: Oid = 1016
            static let int4: Oid = 23
            static let texts: Oid = 1009
            static let bytesArray: Oid = 1001
        }

        private(set) var types: [Oid] = []
        private(set) var values: [UnsafePointer<CChar>?] = []
        private(set) var lengths: [Int32] = []
        private(set) var formats: [Int32] = []
        private var memory: [UnsafeMutableRawBufferPointer?] = []
        var count: Int32 { Int32(types.count) }

        deinit { removeAll() }

        func removeAll() {
            for case let memory? in memory { memory.deallocate() }
            (types, values, lengths, formats, memory) = ([], [], [], [], [])
        }

        /// Makes a place for the parameter of that number, from 1 on.
        private func set(
            _ index: Int32, _ type: Oid, _ value: UnsafeRawPointer?, _ length: Int,
            _ owned: UnsafeMutableRawBufferPointer? = nil
        ) {
            let index = Int(index) - 1
            while types.count <= index {
                types.append(0)
                values.append(nil)
                lengths.append(0)
                formats.append(1)
                memory.append(nil)
            }
            memory[index]?.deallocate()
            memory[index] = owned
            types[index] = type
            values[index] = value?.assumingMemoryBound(to: CChar.self)
            lengths[index] = Int32(length)
        }

        func set(_ number: Int64, at index: Int32) {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
            memory.storeBytes(of: number.bigEndian, as: Int64.self)
            set(index, Kind.int8, memory.baseAddress, 8, memory)
        }

        func set(_ number: Int32, at index: Int32) {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 4)
            memory.storeBytes(of: number.bigEndian, as: Int32.self)
            set(index, Kind.int4, memory.baseAddress, 4, memory)
        }

        /// The bytes are not copied.
        func set(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
            guard let base = bytes.baseAddress, bytes.count > 0 else {
                // No bytes are not NULL.
                let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
                return set(index, Kind.bytes, memory.baseAddress, 0, memory)
            }
            set(index, Kind.bytes, base, bytes.count)
        }

        func set(copying bytes: [UInt8], at index: Int32) {
            set(bytes, Kind.bytes, at: index)
        }

        func set(_ text: String, at index: Int32) { set(Array(text.utf8), Kind.text, at: index) }

        private func set(_ bytes: [UInt8], _ type: Oid, at index: Int32) {
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(bytes.count, 1), alignment: 1)
            memory.copyBytes(from: bytes)
            set(index, type, memory.baseAddress, bytes.count, memory)
        }

        /// NULL, of whatever type the statement wants.
        func setNull(at index: Int32) { set(index, 0, nil, 0) }

        // MARK: Arrays

        func set(_ numbers: [Int64], at index: Int32) {
            setArray(Kind.int8s, of: Kind.int8, numbers.count, 8 * numbers.count, index) { room in
                for number in numbers { room.append(number) }
            }
        }

        func set(_ numbers: [Int32], at index: Int32) {
            setArray(Kind.int4s, of: Kind.int4, numbers.count, 4 * numbers.count, index) { room in
                for number in numbers { room.append(number) }
            }
        }

        func set(_ texts: [String], at index: Int32) {
            let size = texts.reduce(0) { $0 + $1.utf8.count }
            setArray(Kind.texts, of: Kind.text, texts.count, size, index) { room in
                for text in texts { room.append(Array(text.utf8)) }
            }
        }

        func set(_ values: ArraySlice<[UInt8]>, at index: Int32) {
            let size = values.reduce(0) { $0 + $1.count }
            setArray(Kind.bytesArray, of: Kind.bytes, values.count, size, index) { room in
                for value in values { room.append(value) }
            }
        }

        /// The end of an array that is being written.
        private struct Room {
            var next: UnsafeMutableRawPointer

            /// A length that is not an element's.
            mutating func write(_ number: Int32) {
                next.storeBytes(of: number.bigEndian, as: Int32.self)
                next += 4
            }

            mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
                write(Int32(MemoryLayout<Number>.size))
                next.storeBytes(of: number.bigEndian, as: Number.self)
                next += MemoryLayout<Number>.size
            }

            mutating func append(_ bytes: [UInt8]) {
                write(Int32(bytes.count))
                bytes.withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    next.copyMemory(from: base, byteCount: bytes.count)
                }
                next += bytes.count
            }
        }

        /// - Parameter size: how many bytes the elements have, without their lengths.
        private func setArray(
            _ type: Oid, of element: Oid, _ count: Int, _ size: Int, _ index: Int32,
            _ body: (inout Room) -> Void
        ) {
            let length = (count == 0 ? 12 : 20) + 4 * count + size
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
            guard let base = memory.baseAddress else { return }
            var room = Room(next: base)
            // One dimension, no NULL; how many there are, counted from 1.
            room.write(count == 0 ? 0 : 1)
            room.write(0)
            room.write(Int32(element))
            if count > 0 {
                room.write(Int32(count))
                room.write(1)
            }
            body(&room)
            set(index, type, base, length, memory)
        }
    }
#endif
