import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTLS

/// The part of a result that describes the test: enough to repeat it, and nothing secret.
extension LoadPlan {
    /// Returns the place and the time of the run.
    func stamp(startMilliseconds: Int64) -> LoadResult.Stamp {
        LoadResult.Stamp(
            version: options.version, cores: ProcessorCount.available,
            kernel: SystemName.kernel,
            tls: configuration.provider.endpoint.usesTLS ? TLSLibrary.version : nil,
            startMilliseconds: startMilliseconds, command: options.command)
    }

    /// The settings that comparable results have in common, in the order in which they are written.
    var settings: [(name: String, value: LoadResult.Setting)] {
        let engine = configuration.engine
        var all: [(name: String, value: LoadResult.Setting)] = [
            ("service", .text(serviceName))
        ]
        for (name, value) in options.serviceSettings.sorted(by: { $0.key < $1.key }) {
            all.append((name, .text(value)))
        }
        if let proxy = configuration.provider.proxy { all.append(("proxy", .text(proxy.name))) }
        if options.versions != .http2 { all.append(("http", .text(options.versions.rawValue))) }
        all += requestSettings
        switch options.pattern {
        case .inFlight(let count):
            all.append(("load", .text("closed")))
            all.append(("in_flight", .whole(Int64(count))))
        case .rate(let from, let to):
            all.append(("load", .text("open")))
            all.append(("rate_from", .real(from)))
            all.append(("rate_to", .real(to)))
            all.append(("steps", .whole(Int64(options.steps))))
        case .knee(let first, let bounds):
            all.append(("load", .text("knee")))
            all.append(("rate_from", .real(first)))
            all.append(("p99_ms", .real(milliseconds(bounds.p99))))
            all.append(("errors_percent", .real(bounds.errorShare * 100)))
            all.append(("precision_percent", .real(bounds.precision * 100)))
        }
        if let count = options.count {
            all.append(("count", .whole(Int64(count))))
        } else {
            all.append(("warm_up_ms", .real(milliseconds(options.warmUp))))
            all.append(("duration_ms", .real(milliseconds(options.duration))))
        }
        all += [
            ("connections", .whole(engine.connections.map { Int64($0) })),
            ("streams", .whole(engine.streams.map { Int64($0) })),
            ("lanes", .whole(Int64(lanes))),
            ("timeout_ms", .real(milliseconds(engine.timeout))),
        ]
        return all
    }

    private var serviceName: String {
        options.serviceName ?? configuration.provider.endpoint.description
    }

    private var requestSettings: [(name: String, value: LoadResult.Setting)] {
        guard let fixed else {
            let credentials =
                switch configuration.provider.credentials {
                case .none: "none"
                case .token: "token"
                case .certificate: "certificate"
                case .serviceAccount: "service_account"
                case .accessToken: "access_token"
                case .metadataServer: "metadata_server"
                }
            let payloadBytes: Int? =
                switch configuration.payload {
                case .column, .chosen: nil
                case .template(let json, _): json.count
                case .message(let message):
                    (try? message.translated(for: configuration.provider.provider.kind).payload)?
                        .count
                }
            return [
                ("request", .text(configuration.provider.provider.rawValue)),
                ("credentials", .text(credentials)),
                ("push_type", .text(configuration.provider.pushType ?? "alert")),
                ("payload_bytes", .whole(payloadBytes.map(Int64.init))),
            ]
        }
        return [
            ("request", .text("http")),
            ("method", .text(fixed.method)),
            // A query may hold a key.
            ("path", .text(String(fixed.path.prefix { $0 != "?" }))),
            ("headers", .text(fixed.fields.map(\.name).joined(separator: ", "))),
            ("body_bytes", .whole(Int64(fixed.body.count))),
        ]
    }

    private func milliseconds(_ duration: Duration) -> Double {
        Double(duration.wholeNanoseconds) / 1e6
    }
}
