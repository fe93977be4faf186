import Glibc

/// Sets an option of a socket. Ignores the error if the system refuses the option.
/// - Parameters:
///   - level: such as `SOL_SOCKET`.
///   - name: such as `SO_REUSEADDR`.
package func setOption<Value: BitwiseCopyable>(
    _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value
) {
    withUnsafeBytes(of: value) {
        _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
    }
}

/// Makes `close` discard the bytes that the client has not received yet. Otherwise the system would
/// keep them in memory until the client has received them.
package func dropUnreadOnClose(_ descriptor: Int32) {
    setOption(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
}
