import CMicrohttpd
import Glibc
import HTTPCore

extension OpaquePointer {
    /// Makes libmicrohttpd send a response over the connection that this pointer refers to.
    /// - Returns: `.NO` if that is impossible, for example because memory is short.
    func queue(_ response: Response) -> MHD_Result {
        guard let message = response.body.makeMessage() else { return .NO }
        defer { MHD_destroy_response(message) }
        response.headers.withRawFields { fields in
            for (name, value) in fields {
                // A NUL follows both the name and the value (see `RawFields`).
                _ = MHD_add_response_header(
                    message, name.baseAddress?.assumingMemoryBound(to: CChar.self),
                    value.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        }
        return MHD_queue_response(self, UInt32(response.status.code), message)
    }
}

extension Response.Body {
    /// The maximum size in bytes of one read from a file, and of the buffer for it.
    private static let blockSize = 65_536

    /// The number of bytes of the body that are in memory while it is sent.
    var sizeInMemory: Int {
        if case .file = self { min(count, Self.blockSize) } else { count }
    }

    /// Makes libmicrohttpd's response object for this body, without header fields.
    /// - Returns: the object, which the caller must destroy; nil if memory is short.
    fileprivate func makeMessage() -> OpaquePointer? {
        switch self {
        // `Exchange` sends a stream itself.
        case .empty, .stream: return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            // The elements of an array lie in a separate block of memory, which neither moves nor
            // changes as long as the context (`HeldBody`) retains the array.
            return holdingBody {
                MHD_create_response_from_buffer_with_free_callback_cls(
                    bytes.count,
                    UnsafeMutableRawPointer(mutating: bytes.withUnsafeBytes(\.baseAddress)),
                    releaseBody, $0)
            }
        case .file(_, let range):
            return holdingBody {
                MHD_create_response_from_callback(
                    UInt64(range.count), min(max(range.count, 1), Self.blockSize), readFile, $0,
                    releaseBody)
            }
        }
    }

    /// Makes a response object that retains this body until libmicrohttpd destroys the object.
    /// - Parameter make: makes the object, or returns nil if memory is short. Its argument refers
    ///   to the body; libmicrohttpd passes it to the callbacks of the object.
    private func holdingBody(
        _ make: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) -> OpaquePointer? {
        let context = Unmanaged.passRetained(HeldBody(self)).toOpaque()
        let message = make(context)
        if message == nil { releaseBody(context) }
        return message
    }
}

private final class HeldBody {
    let body: Response.Body

    init(_ body: Response.Body) { self.body = body }
}

private let releaseBody: MHD_ContentReaderFreeCallback = { context in
    context.map { Unmanaged<HeldBody>.fromOpaque($0).release() }
}

/// The callback that reads a part of a file, from `position` bytes after the start of the range.
/// It ends the connection if the file cannot be read or has become shorter.
private let readFile: MHD_ContentReaderCallback = { context, position, place, room in
    // MHD_CONTENT_READER_END_WITH_ERROR, a macro that Swift does not see.
    let failure = -2
    guard let context, let place,
        case .file(let file, let range) = Unmanaged<HeldBody>.fromOpaque(context)
            .takeUnretainedValue().body
    else { return failure }
    while true {
        let count = pread(file.descriptor, place, room, range.lowerBound + Int(position))
        if count >= 0 || errno != EINTR { return count > 0 ? count : failure }
    }
}
