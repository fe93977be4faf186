import Glibc
import HTTPCore

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
