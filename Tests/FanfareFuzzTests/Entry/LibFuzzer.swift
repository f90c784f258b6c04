import Glibc

/// The target that `FANFARE_FUZZ_TARGET` names.
private let chosen: FuzzTarget = {
    let name = getenv("FANFARE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("FANFARE_FUZZ_TARGET is none of \(FuzzTarget.all.map(\.name))")
        exit(2)
    }
    return target
}()

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard count <= chosen.bytesMax else { return -1 }
    do {
        try chosen.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(chosen.name): \(error)")
    }
    return 0
}
