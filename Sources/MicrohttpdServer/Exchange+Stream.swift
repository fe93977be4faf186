import CMicrohttpd
import Glibc
import HTTPCore

extension Exchange {
    /// In bytes: how much of a stream the system holds for a slow client. The default would grow to
    /// several MiB.
    private static let sendBufferSize: Int32 = 16_384
    /// In milliseconds: the time after which the system gives up a client that acknowledges nothing.
    private static let unacknowledgedTime: Int32 = 60_000

    /// Detaches the connection from libmicrohttpd and hands it to the stream loop.
    ///
    /// libmicrohttpd holds a connection without traffic only as a suspended one, which costs up to
    /// 36 KiB, and each resume of any connection visits all suspended ones. Therefore the loop gets a
    /// duplicate of the descriptor, and libmicrohttpd is told to end the connection. It closes only
    /// its own descriptor, because the daemons run with `MHD_USE_TURBO`: without the flag it would
    /// first shut the socket down, which all duplicates share.
    /// - Returns: nil if the system has no descriptor left; nothing has happened then.
    func detach(_ response: Response, _ source: any StreamSource) -> MHD_Result? {
        let descriptor = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        guard connection.detach() else {
            close(descriptor)
            return .NO
        }
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, 0)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Self.unacknowledgedTime)
        setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Self.sendBufferSize)
        let peer = connection.peer
        core.streams.open(
            descriptor, isChunked: isChunked, head: response.head(isChunked: isChunked), source
        ) { [connections = core.connections] in connections.releaseAddress(peer) }
        // libmicrohttpd ends its side of the connection without a byte to the client.
        return .NO
    }

    /// Sends the head of a stream that a HEAD request asks about, and ends the connection.
    func sendHead(of response: Response) -> MHD_Result {
        let head = response.head(isChunked: isChunked)
        // The response before, if there was one, has left: the socket has room for this one.
        _ = head.withUnsafeBytes {
            Glibc.send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        return .NO
    }
}

private func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

extension Response {
    /// Returns the status line and the fields of a stream (RFC 9112, section 2.1).
    fileprivate func head(isChunked: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) OK\r\nDate: \(Self.date())\r\nConnection: close\r\n"
        if isChunked { text += "Transfer-Encoding: chunked\r\n" }
        var head = Array(text.utf8)
        headers.withRawFields { fields in
            for (name, value) in fields {
                head += name
                head += [0x3A, 0x20]
                head += value
                head += [0x0D, 0x0A]
            }
        }
        return head + [0x0D, 0x0A]
    }

    /// Returns the time in the form of the `Date` field (RFC 9110, section 5.6.7).
    private static func date() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            // The process runs in the C locale, whose names are the English ones.
            let count = strftime(text.baseAddress, 64, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
