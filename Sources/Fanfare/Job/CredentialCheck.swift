import FanfareBase
import FanfareTLS

extension Configuration {
    /// Reads the credentials of all routes and uses them as far as that is possible without a network: what a
    /// job would refuse is refused here.
    /// - Throws: `FanfareError` with code `configuration` or `input`.
    package func checkCredentials() throws(FanfareError) {
        for route in routes where route.credentials != .none {
            switch route.provider {
            case .apns: try PreparedJob.checkCredentials(ofAPNs: route.credentials)
            case .fcm:
                _ = try PreparedJob.fcmCredentials(route, patience: engine.giveUpAfter, seed: 0)
            case .declared: break
            }
        }
    }
}

extension PreparedJob {
    fileprivate static func checkCredentials(
        ofAPNs credentials: Credentials
    ) throws(FanfareError) {
        let tokens = try providerTokens(credentials)
        try told(\.jobError) { () throws(TLSError) in
            // A key that can be read may still not sign.
            _ = try tokens?.grant()
            if let identity = try identity(credentials) {
                var settings = ClientTLSConfiguration()
                settings.identity = identity
                _ = try TLSContext(client: settings)
            }
        }
    }
}
