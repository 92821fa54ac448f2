// What a program that imports Cabinet meets of the modules below. The author of an engine imports
// CabinetBackend, which has the rest.

@_exported import CabinetTextSearch

@_exported import enum CabinetBackend.Access
@_exported import protocol CabinetBackend.Backend
@_exported import enum CabinetBackend.BackendError
@_exported import protocol CabinetBackend.BufferValue
@_exported import struct CabinetBackend.ChangePosition
@_exported import struct CabinetBackend.CommitLine
@_exported import struct CabinetBackend.CommitNumber
@_exported import class CabinetBackend.DataBuffer
@_exported import enum CabinetBackend.DataBufferError
@_exported import enum CabinetBackend.Durability
@_exported import struct CabinetBackend.EngineReport
@_exported import struct CabinetBackend.KeptChanges
@_exported import struct CabinetBackend.KeyRange
@_exported import struct CabinetBackend.LogSink
@_exported import struct CabinetBackend.OpenSnapshot
@_exported import struct CabinetBackend.PassphraseCost
@_exported import struct CabinetBackend.RowID
@_exported import struct CabinetBackend.SnapshotLimits
@_exported import struct CabinetBackend.StorageReport
@_exported import struct CabinetBackend.StoreFinding
@_exported import struct CabinetBackend.StoreKey
@_exported import protocol CabinetBackend.StoreMaintenance
@_exported import struct CabinetBackend.TableNumber
@_exported import class CabinetBackend.WorkClaim
