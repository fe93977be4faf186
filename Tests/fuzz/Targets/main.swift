import Glibc
import LibFuzzer

// fuzz <target> <libFuzzer's options, and folders of inputs>

guard CommandLine.argc > 1, let target = Target(rawValue: CommandLine.arguments[1]) else {
    print("targets:", Target.allCases.map(\.rawValue).joined(separator: " "))
    exit(2)
}

Target.chosen = target
// The name of the target takes the program's place.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
        let start = clock()
        Target.chosen.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
        let time = (clock() - start) * 1000 / CLOCKS_PER_SEC
        precondition(time < 1000, "\(size) bytes took \(time) ms")
        // Long inputs are tried, but not kept: few would be tried a second.
        return size > 4096 ? -1 : 0
    })
