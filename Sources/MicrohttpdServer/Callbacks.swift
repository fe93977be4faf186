import CMicrohttpd
import Glibc
import HTTPCore

// The functions that libmicrohttpd calls, each on the worker thread of the connection.

typealias BeginExchange =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer?
typealias LeaveEscaped =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int
typealias EndExchange =
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_RequestTerminationCode
    ) -> Void

/// Whether a new connection is served; otherwise it is closed at once.
let admitConnection: MHD_AcceptPolicyCallback = { context, _, _ in
    guard let context else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    return core.isAccepting.load(ordering: .relaxed) ? .YES : .NO
}

/// Comes first, with the target as it was sent; what it returns is the request's context until
/// `endExchange`.
let beginExchange: BeginExchange = { context, target, connection in
    guard let context, let target, let connection else { return nil }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = Exchange(
        core: core, connection: connection, target: String(cString: target))
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// The target is split before it is decoded: by us, from what `beginExchange` was given.
let leaveEscaped: LeaveEscaped = { _, _, text in
    text.map { strlen($0) } ?? 0
}

let endExchange: EndExchange = { context, _, exchange, _ in
    guard let context, let pointer = exchange?.pointee else { return }
    exchange?.pointee = nil
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    core.exchanges.remove(Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue())
}

/// Called once when the head has come, then for each piece of the body, then once more; and again
/// after a resume.
let handleAccess: MHD_AccessHandlerCallback = {
    _, _, _, method, version, upload, uploadSize, context in
    guard let method, let version, let uploadSize, let pointer = context?.pointee else {
        return .NO
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    if uploadSize.pointee > 0 {
        exchange.receive(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
        uploadSize.pointee = 0
        return .YES
    }
    return exchange.proceed(
        method: String(cString: method), version: String(cString: version))
}
