// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "fanfare-example",
    dependencies: [
        // In a package of your own: .package(url: "…", from: "0.1.0")
        .package(name: "fanfare", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "FanfareExample",
            dependencies: [
                .product(name: "Fanfare", package: "fanfare"),
                .product(name: "FanfareSimulator", package: "fanfare"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
