import Foundation

/// An image in the executable.
public struct EmbeddedImage: Sendable, Equatable {
    private let base64: StaticString

    package init(base64: StaticString) {
        self.base64 = base64
    }

    public static func == (one: EmbeddedImage, other: EmbeddedImage) -> Bool {
        one.base64.utf8Start == other.base64.utf8Start
    }

    /// The content of the file. Decodes it from Base64.
    public var bytes: [UInt8] {
        let encoded = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base64.utf8Start),
            count: base64.utf8CodeUnitCount, deallocator: .none)
        guard let decoded = Data(base64Encoded: encoded) else {
            preconditionFailure("the executable has a damaged image")
        }
        return Array(decoded)
    }
}
