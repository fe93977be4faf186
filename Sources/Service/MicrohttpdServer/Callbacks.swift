import CMicrohttpd
import Glibc
import HTTPCore

// The functions that libmicrohttpd calls on the worker thread of a connection. The context of a
// connection is its `Connection`, that of a request its `Exchange`; both live until the last call.

typealias RequestStartedCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer?
typealias UnescapeCallback =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int

/// The callback for a connection. libmicrohttpd calls it when a worker thread has received the
/// connection, and again before the worker closes the descriptor.
let connectionNotification: MHD_NotifyConnectionCallback = { context, handle, place, code in
    guard let context, let handle, let place else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if code == .CONNECTION_NOTIFY_STARTED {
        guard let connection = core.connections[waypost_descriptor(handle)] else { return }
        place.pointee = Unmanaged.passRetained(connection).toOpaque()
    } else if let pointer = place.pointee {
        place.pointee = nil
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
        // With `MHD_USE_TURBO` libmicrohttpd leaves out this shutdown, see `Exchange.detach`.
        if !connection.isDetached { shutdown(connection.descriptor, Int32(SHUT_WR)) }
        core.connections.remove(connection)
    }
}

/// The first callback for a request. Its argument is the target as the client sent it.
let requestStarted: RequestStartedCallback = { context, target, handle in
    guard let context, let target, let handle, let pointer = waypost_socket_context(handle) else {
        return nil
    }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let connection = Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
    connection.enterHead(for: core.configuration.headerTimeout)
    // A target without a query is handed to `handleAccess` as the path.
    let targetWithQuery = strchr(target, 0x3F).map { _ in String(cString: target) }
    // If the memory of the connection does not suffice for the parameters, libmicrohttpd 0.9.75
    // forgets the connection, and closes it only for a time limit of its own. 300 parameters fit.
    if let targetWithQuery, targetWithQuery.utf8.count(where: { $0 == 0x26 }) >= 200 {
        waypost_limit_idle_time(handle, 1)
    }
    core.workers[connection.worker].noteProgress()
    let exchange = Exchange(
        core: core, connection: connection, handle: handle, target: targetWithQuery)
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// The callback that decodes percent-encoding for libmicrohttpd. It leaves the text unchanged,
/// because `RequestTarget` splits a path before it decodes the segments.
let leaveEscaped: UnescapeCallback = { _, _, text in text.map { strlen($0) } ?? 0 }

let requestCompleted: MHD_RequestCompletedCallback = { _, _, place, _ in
    guard let pointer = place?.pointee else { return }
    place?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
    exchange.worker.noteProgress()
    exchange.end()
}

/// The callback for the content of a request. libmicrohttpd calls it when the head has arrived, for
/// each piece of the body, when the request is complete, and when a connection is resumed.
let handleAccess: MHD_AccessHandlerCallback = {
    _, _, path, method, version, upload, uploadSize, context in
    guard let path, let method, let version, let uploadSize, let pointer = context?.pointee else {
        return .NO
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    exchange.worker.noteProgress()
    if uploadSize.pointee > 0 {
        let piece = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
        uploadSize.pointee = 0
        return exchange.receive(piece)
    }
    return exchange.proceed(path: path, method: method, version: version)
}
