import Dispatch
import Glibc
import HTTPCore

/// Takes new connections, and gives each to the worker that has the fewest.
///
/// libmicrohttpd's workers could do it themselves, but then it is chance how many each gets: one could
/// be idle while the other has them all.
///
/// Sendable without a check: the source is made, and cancelled, and not touched otherwise.
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
        source.setEventHandler { [unowned self] in
            if !Self.acceptAll(socket, workers, connections) { pause() }
        }
        source.resume()
    }

    /// After which nothing is accepted any more. To be called once.
    func stop() {
        source.cancel()
        isOver.wait()
    }

    /// - Returns: false if the system has no room for more: what waits would be told of again at once.
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
            withUnsafeBytes(of: &address) { bytes in
                guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else {
                    return
                }
                guard
                    let connection = connections.add(
                        descriptor: descriptor, peer: NetworkAddress(address))
                else {
                    close(descriptor)
                    return
                }
                if !workers.take(connection, descriptor, address, length) {
                    connections.remove(connection)
                }
            }
        }
    }

    private func pause() {
        source.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in source.resume() }
    }
}
