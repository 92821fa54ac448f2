import CabinetBackend

/// The body of a ``FrameKind/session`` frame: where a stretch of use took place. UInt64 device,
/// UInt64 mount, UInt64 inode of the store's directory, boot (UInt32 length, UTF-8), UInt32
/// process, UInt8 durability.
package struct SessionRecord: Hashable, Sendable {
    package var place: Place
    package var process: UInt32
    package var durability: Durability

    package init(place: Place, process: UInt32, durability: Durability) {
        self.place = place
        self.process = process
        self.durability = durability
    }

    package func write(to buffer: DataBuffer) {
        buffer.writeUInt64(place.device)
        buffer.writeUInt64(place.mount)
        buffer.writeUInt64(place.inode)
        buffer.writeString(place.boot)
        buffer.writeUInt32(process)
        buffer.writeUInt8(durability.rawValue)
    }

    package init(from buffer: DataBuffer) throws(DataBufferError) {
        let device = try buffer.readUInt64()
        let mount = try buffer.readUInt64()
        let inode = try buffer.readUInt64()
        place = Place(boot: try buffer.readString(), device: device, mount: mount, inode: inode)
        process = try buffer.readUInt32()
        durability = Durability(rawValue: try buffer.readUInt8()) ?? .process
    }
}
