internal import COpenSSL
import FanfareBase
import Glibc
import Synchronization

/// The system's roots, looked at only when a certificate leads to one.
///
/// Parsing a distribution's bundle of about 140 roots costs some 15 ms, more than everything else
/// before the first byte on the wire. Its directory is searched by name, one file for each root,
/// and the bundle is read only if the root is not found there. A server whose root is given with
/// the configuration needs neither.
///
/// The lookup holds a pointer to this object, so it has to live as long as the context.
final class SystemRoots: Sendable {
    private let file: String
    private let isLoaded = Mutex(false)

    /// Takes the place of the bundle, or where OpenSSL looks for it (`SSL_CERT_FILE` or built in).
    init(file: String?) {
        let name = unsafe X509_get_default_cert_file_env()
        let named = unsafe name.flatMap { unsafe getenv($0) }.map { unsafe String(cString: $0) }
        let builtIn = unsafe X509_get_default_cert_file().map(String.init(cString:))
        self.file = file ?? named ?? builtIn ?? ""
    }

    /// Makes a context search the system's directory, then the bundle.
    ///
    /// An absent directory or bundle is no error here; the handshake reports the missing root.
    func attach(to context: OpaquePointer) {
        unsafe SSL_CTX_set_default_verify_dir(context)
        let lookup = unsafe X509_STORE_add_lookup(
            SSL_CTX_get_cert_store(context), rootsMethod.handle)
        unsafe X509_LOOKUP_set_method_data(lookup, Unmanaged.passUnretained(self).toOpaque())
        ErrorQueue.clear()
    }

    /// Reads the bundle into a store, once.
    ///
    /// Other threads that need it wait.
    fileprivate func load(into store: OpaquePointer?) {
        isLoaded.withLock { isLoaded in
            guard !isLoaded else { return }
            isLoaded = true
            guard let pem = try? Secret(wholeFile: file),
                let roots = try? Certificate.all(pem: pem, file: file)
            else { return }
            for root in roots { unsafe X509_STORE_add_cert(store, root.handle) }
        }
    }
}

/// OpenSSL's table of functions for a source of roots.
///
/// Read-only after it was made: hence safe to share.
@safe
private struct RootsMethod: @unchecked Sendable {
    let handle: OpaquePointer?

    init() {
        unsafe handle = X509_LOOKUP_meth_new("fanfare system roots")
        unsafe X509_LOOKUP_meth_set_get_by_subject(handle, findRoot)
    }
}

/// Made once for the process and never freed.
private let rootsMethod = RootsMethod()

/// Finds a root by a name that the store does not have yet; OpenSSL calls it without its lock.
private func findRoot(
    lookup: OpaquePointer?, type: X509_LOOKUP_TYPE, name: OpaquePointer?, found: OpaquePointer?
) -> Int32 {
    guard type == X509_LU_X509, let data = unsafe X509_LOOKUP_get_method_data(lookup) else {
        return 0
    }
    let store = unsafe X509_LOOKUP_get_store(lookup)
    unsafe Unmanaged<SystemRoots>.fromOpaque(data).takeUnretainedValue().load(into: store)
    unsafe X509_STORE_lock(store)
    defer { unsafe X509_STORE_unlock(store) }
    let match = unsafe X509_OBJECT_retrieve_by_subject(X509_STORE_get0_objects(store), type, name)
    guard let match = unsafe match, let root = unsafe X509_OBJECT_get0_X509(match) else { return 0 }
    // The caller wants a borrowed certificate, but the only setter there is takes a reference of
    // its own. The store keeps another one.
    guard unsafe X509_OBJECT_set1_X509(found, root) == 1 else { return 0 }
    unsafe X509_free(root)
    return 1
}
