import CabinetBackend

/// A file layer whose files hold sealed bytes: it passes everything on, and whoever reads or writes a format
/// through it finds the ``sealer`` here.
package final class SealedFiles: LayeredFiles {
    package let below: any FileLayer
    private let own: any Sealer

    package init(_ files: any FileLayer, _ sealer: any Sealer) {
        below = files
        own = sealer
    }

    package var sealer: (any Sealer)? { own }
}
