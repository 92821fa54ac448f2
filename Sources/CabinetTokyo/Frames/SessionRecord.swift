import CabinetBackend

/// The body of a ``FrameKind/session`` frame: where a stretch of use took place. UInt64 device,
/// UInt64 mount, UInt64 inode of the store's directory, boot (UInt32 length, UTF-8), UInt32
/// process, UInt8 durability.
package struct SessionRecord: Hashable, Sendable {
    package var mount: MountIdentity
    package var process: UInt32
    package var durability: Durability

    package init(mount: MountIdentity, process: UInt32, durability: Durability) {
        self.mount = mount
        self.process = process
        self.durability = durability
    }

    package func write(to buffer: DataBuffer) {
        buffer.writeUInt64(mount.device)
        buffer.writeUInt64(mount.mount)
        buffer.writeUInt64(mount.inode)
        buffer.writeString(mount.boot)
        buffer.writeUInt32(process)
        buffer.writeUInt8(durability.rawValue)
    }

    package init(from buffer: DataBuffer) throws(DataBufferError) {
        let device = try buffer.readUInt64()
        let mount = try buffer.readUInt64()
        let inode = try buffer.readUInt64()
        self.mount = MountIdentity(
            boot: try buffer.readString(), device: device, mount: mount, inode: inode)
        process = try buffer.readUInt32()
        durability = Durability(rawValue: try buffer.readUInt8()) ?? .process
    }
}
