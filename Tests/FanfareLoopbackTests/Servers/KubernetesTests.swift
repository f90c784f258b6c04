import FanfareTestSupport
import Foundation
import Testing

/// The manifests of the documents against the schemas of Kubernetes.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
struct KubernetesTests {
    private static let manifest = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/kubernetes/workers.yaml")

    private let folder: TemporaryFolder
    private let text: String

    init() throws {
        folder = try TemporaryFolder()
        text = try String(contentsOf: Self.manifest, encoding: .utf8)
    }

    @Test func `the workers' manifest is one of Kubernetes`() throws {
        try folder.write(text, to: "workers.yaml")
        let output = try PythonEnvironment.run("check-manifests", in: folder)
        #expect(
            output.split(separator: "\n") == [
                "workers.yaml Service fanfare-july", "workers.yaml StatefulSet fanfare-july",
            ])
    }

    @Test func `a member that Kubernetes does not have is found`() throws {
        #expect(text.contains("replicas: 3"))
        try folder.write(text.replacing("replicas: 3", with: "replica: 3"), to: "workers.yaml")
        #expect(throws: PythonEnvironment.Missing.self) {
            try PythonEnvironment.run("check-manifests", in: folder)
        }
    }
}
