import CMicrohttpd
import Glibc
import HTTPCore

extension Response.Body {
    /// In bytes. A larger body is not copied for libmicrohttpd: thousands of connections may wait for
    /// the same document.
    private static let copiedSize = 4096
    /// In bytes: how much of a file is read at a time, and how much memory an answer with a file needs.
    private static let blockSize = 65_536

    /// Makes libmicrohttpd's response object, without header fields.
    /// - Returns: nil if memory is short. Otherwise the caller destroys the object.
    func makeMessage() -> OpaquePointer? {
        switch self {
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes) where bytes.count <= Self.copiedSize:
            return bytes.withUnsafeBytes { bytes in
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        case .bytes(let bytes):
            return message(holding: SharedBytes(bytes)) { shared, context in
                MHD_create_response_from_buffer_with_free_callback_cls(
                    shared.bytes.count, UnsafeMutableRawPointer(mutating: shared.start),
                    release, context)
            }
        case .file(let region):
            return message(holding: FileReader(region)) { reader, context in
                MHD_create_response_from_callback(
                    UInt64(region.range.count), min(max(region.range.count, 1), Self.blockSize),
                    readFile, context, release)
            }
        }
    }
}

/// Makes a response object that holds `owner` until libmicrohttpd destroys it.
private func message<Owner: AnyObject>(
    holding owner: Owner, _ make: (Owner, UnsafeMutableRawPointer) -> OpaquePointer?
) -> OpaquePointer? {
    let context = Unmanaged.passRetained(owner as AnyObject)
    let message = make(owner, context.toOpaque())
    if message == nil { context.release() }
    return message
}

private let release: MHD_ContentReaderFreeCallback = { context in
    guard let context else { return }
    Unmanaged<AnyObject>.fromOpaque(context).release()
}

/// Bytes that libmicrohttpd sends from where they lie.
private final class SharedBytes {
    let bytes: [UInt8]
    /// The elements of an array lie in memory of their own, which neither moves nor changes as long as
    /// somebody holds the array unchanged, as this object does.
    let start: UnsafeRawPointer?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        start = bytes.withUnsafeBytes(\.baseAddress)
    }
}

/// A part of a file that is being sent.
private final class FileReader {
    private let region: FileRegion

    init(_ region: FileRegion) {
        self.region = region
    }

    /// Reads on behind `position`, which counts from the start of the part.
    /// - Returns: how many bytes were read; 0 if the file has become shorter, less if it cannot be read.
    func read(_ position: Int, _ place: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
        while true {
            let count = pread(
                region.file.descriptor, place, room, region.range.lowerBound + position)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}

/// Ends the connection if the file has become shorter than the head of the response says.
private let readFile: MHD_ContentReaderCallback = { context, position, place, room in
    // MHD_CONTENT_READER_END_WITH_ERROR, a macro that Swift does not see.
    let failure = -2
    guard let context, let place else { return failure }
    let reader = Unmanaged<AnyObject>.fromOpaque(context).takeUnretainedValue() as? FileReader
    let count = reader?.read(Int(clamping: position), place, room) ?? 0
    return count > 0 ? count : failure
}
