import FanfareBase
import FanfareCore
import FanfareSystem

/// The project that a machine in Google's cloud belongs to.
enum MachineProject {
    /// Asks the machine's metadata server, up to three times, as Google's own programs do.
    /// - Parameter server: The metadata server.
    /// - Returns: The project's id; `nil` if the answer has none.
    /// - Throws: `FanfareError` with code `configuration` if there is no answer.
    static func ask(_ server: MetadataServer) throws(FanfareError) -> String? {
        let asker = TokenAsker(
            ways: [ServiceWay(toMetadataServer: server.endpoint)], limit: Limits.metadataTime,
            unixSeconds: { WallClock.milliseconds / 1000 }, interruption: TokenInterruption())
        var reason: Statement = ""
        for _ in 0..<Limits.metadataTries {
            switch answer(server, asker) {
            case .named(let project): return project
            case .unnamed: return nil
            case .failed(let text): reason = text
            }
        }
        throw FanfareError(
            .configuration,
            "the metadata server \(server.endpoint.host) does not say which project this machine "
                + "belongs to: \(reason). It exists in Google's cloud only; elsewhere give "
                + "\(.serviceAccount)")
    }

    private enum Answer {
        case named(String)
        case unnamed
        case failed(Statement)
    }

    private static func answer(_ server: MetadataServer, _ asker: TokenAsker) -> Answer {
        let answer = asker.ask(server.projectRequest) { end -> Answer in
            switch end {
            case .failed(let failure): return .failed(failure.text)
            case .answered(let received):
                if let project = unsafe MetadataServer.project(
                    status: received.status, body: received.body)
                {
                    return .named(project)
                }
                return received.status >= 500
                    ? .failed("it answers \(Int(received.status))") : .unnamed
            }
        }
        return answer ?? .unnamed
    }
}

extension ServiceWay {
    /// The way to a metadata server: in the clear, in HTTP/1.1, and never through a proxy.
    init(toMetadataServer endpoint: Endpoint) {
        self.init(endpoint: endpoint, tls: nil, proxy: nil, versions: .http1)
    }
}
