import Dispatch
import Glibc
import HTTPCore

/// Accepts connections, and gives each to the worker that has the fewest.
///
/// libmicrohttpd's workers could accept for themselves, but then chance decides how many each gets: one
/// may be idle while another has nearly all.
///
/// Sendable without a check: the source is made and cancelled, and not touched otherwise.
final class Acceptor: @unchecked Sendable {
    private let queue = DispatchQueue(label: "waypost.acceptor", qos: .userInitiated)
    private let source: any DispatchSourceRead
    private let isOver = DispatchSemaphore(value: 0)

    /// Takes over `socket`.
    init(_ socket: Int32, _ workers: Workers, _ connections: ConnectionRegistry) {
        source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setCancelHandler { [isOver] in
            close(socket)
            isOver.signal()
        }
        source.setEventHandler { [weak self] in
            if !Self.acceptAll(socket, workers, connections) { self?.pause() }
        }
        source.resume()
    }

    /// Returns when nothing is accepted any more. To be called once.
    func stop() {
        source.cancel()
        isOver.wait()
    }

    /// - Returns: false if the system has no room for more: it would tell of what waits again at once.
    private static func acceptAll(
        _ socket: Int32, _ workers: Workers, _ connections: ConnectionRegistry
    ) -> Bool {
        while true {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutableBytes(of: &address) { bytes in
                // libmicrohttpd sets what the descriptor needs.
                accept(socket, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            }
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return false
                default: return true
                }
            }
            withUnsafeBytes(of: address) { bytes in
                let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
                let peer = address.flatMap(NetworkAddress.init)
                guard let connection = connections.add(descriptor: descriptor, peer: peer) else {
                    close(descriptor)
                    return
                }
                if !workers.take(connection, address, length) { connections.remove(connection) }
            }
        }
    }

    private func pause() {
        source.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in source.resume() }
    }
}

extension NetworkAddress {
    /// - Returns: nil for a socket in the file system.
    /// - Precondition: `address` is as long as its family says.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self)
            self.init(v4: UInt32(bigEndian: address.sin_addr.s_addr))
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                v6: withUnsafeBytes(of: address.sin6_addr) {
                    UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
                })
        default:
            return nil
        }
    }
}
