import Foundation
import JSON

/// One request over a connection of its own, as the commands that talk to a service send it.
enum PlainHTTP {
    /// - Parameter descriptor: connected; closed afterwards.
    /// - Returns: nil if what comes back is no HTTP, or does not come in time.
    static func exchange(
        _ descriptor: Int32, _ line: String, body: [UInt8] = []
    ) -> (status: Int, body: JSONValue)? {
        let stream = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let head = """
            \(line) HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        guard (try? stream.write(contentsOf: Data(head.utf8) + Data(body))) != nil,
            let answer = try? stream.readToEnd(),
            let end = answer.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: answer.prefix(12).suffix(3), as: UTF8.self))
        else { return nil }
        let json = try? JSONValue(parsing: Array(answer[end.upperBound...]), maximumDepth: 32)
        return (status, json ?? .null)
    }
}
