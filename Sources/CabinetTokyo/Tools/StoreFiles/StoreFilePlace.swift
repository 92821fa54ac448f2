import CLibrary
import CabinetBackend

/// Where a store file stands: by itself, or in a *package*, a directory in which programs may keep other files, too.
///
/// A package that is there gets another file by one renaming in it, so all else in it stays. A new one is written
/// aside as a whole, and gets its name by one renaming.
package struct StoreFilePlace {
    /// The name of the store file in a package.
    package static let contentName = StorePaths.packageContent

    /// Of the store file.
    package let path: String

    package init(_ path: String) { self.path = path }

    package var isInPackage: Bool { path.hasSuffix("/" + Self.contentName) }

    /// What a person sees: the package, or the file.
    package var shownPath: String {
        isInPackage ? WorkingDirectory.directory(of: path) : path
    }

    /// What is written aside.
    struct Aside {
        /// What is renamed to ``target``: a file, or the directory that ``file`` is in.
        var root: String
        var file: String
        var target: String
        var isDirectory: Bool { root != file }
    }

    func aside(named name: String, _ files: any FileLayer) throws(BackendError) -> Aside {
        let directory = WorkingDirectory.directory(of: path)
        guard isInPackage, try files.status(of: directory) == nil else {
            let root = directory + "/" + name
            return Aside(root: root, file: root, target: path)
        }
        let root = WorkingDirectory.directory(of: directory) + "/" + name
        return Aside(root: root, file: root + "/" + Self.contentName, target: directory)
    }
}

extension FileLayer {
    /// As ``status(of:)``; `nil` also where something else stands in the place of a package.
    func statusOfDocument(_ path: String) throws(BackendError) -> FileStatus? {
        do throws(BackendError) {
            return try status(of: path)
        } catch .system(_, _, ENOTDIR) {
            return nil
        } catch {
            throw error
        }
    }
}
