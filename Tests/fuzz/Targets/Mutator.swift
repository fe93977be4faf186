import LibFuzzer

/// libFuzzer's own changes and, now and then, one piece of the input many times over, up to the
/// greatest size: what takes quadratic time shows itself so.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: UInt32
) -> Int {
    var random = seed
    func below(_ bound: Int) -> Int {
        random = random &* 1_664_525 &+ 1_013_904_223
        return Int(random >> 8) % bound
    }
    guard size > 0, size < maximum, below(64) == 0 else {
        return LLVMFuzzerMutate(bytes, size, maximum)
    }
    let input = Array(UnsafeBufferPointer(start: bytes, count: size))
    let start = below(size)
    let piece = input[start...].prefix(1 + below(24))
    // With a number in it, pieces are different ones.
    let isNumbered = below(2) == 0
    let goal = below(4) == 0 ? maximum : min(maximum, size * (2 + below(30)))
    let end = input[(start + piece.count)...]
    var output = Array(input[..<start])
    var number = 0
    while output.count + piece.count + 5 + end.count <= goal {
        if isNumbered {
            let middle = piece.startIndex + piece.count / 2
            output += piece[..<middle] + String(number, radix: 36).utf8 + piece[middle...]
        } else {
            output += piece
        }
        number += 1
    }
    output += end
    guard output.count <= maximum, number > 0 else {
        return LLVMFuzzerMutate(bytes, size, maximum)
    }
    for (index, byte) in output.enumerated() { bytes[index] = byte }
    return output.count
}
