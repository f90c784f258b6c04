internal import COpenSSL

/// The library that TLS comes from.
package enum TLSLibrary {
    /// Its name and version, as it was linked at run time.
    package static var version: String {
        unsafe String(cString: OpenSSL_version(OPENSSL_VERSION))
    }
}
