// Each line that ends in `// refused` must not compile: of the modules below, `import Cabinet` brings in what
// a program meets, and nothing that only engines need. All other lines must compile.
import Cabinet

func meet(
    _ row: RowID, _ commit: CommitNumber, _ buffer: DataBuffer, _ durability: Durability,
    _ access: Access, _ report: CheckReport, _ storage: StorageReport, _ search: SearchQuery,
    _ error: BackendError, _ sink: LogSink
) throws -> UInt32 {
    try buffer.readUInt32() &+ row.rawValue
}

struct Point: BufferValue {
    func write(to buffer: DataBuffer) {}
    static func read(from buffer: DataBuffer) throws(DataBufferError) -> Point { Point() }
}

func engine(_ batch: WriteBatch) {}  // refused
func engine(_ reader: any BackendReader) {}  // refused
func engine(_ cursor: any RecordCursor) {}  // refused
func engine(_ operation: Operation) {}  // refused
func engine(_ table: TableDefinition) {}  // refused
