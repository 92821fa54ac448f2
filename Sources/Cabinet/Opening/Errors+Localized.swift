import CabinetBackend
import CabinetTextSearch
import Foundation

// What Foundation shows of errors, as in an alert: without this, that the operation could not be completed.

extension BackendError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension DataBufferError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension OrderedKeyError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension InvalidObject: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension MigrationFailure: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension QueryError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension QuerySyntaxError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension StoreCopyError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
