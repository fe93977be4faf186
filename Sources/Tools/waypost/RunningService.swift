import ArgumentParser
import Foundation
import HTTPCore
import JSON
import Sockets
import WaypostAPI
import WaypostCore

/// The options that tell a command which running service to use.
struct RunningService: ParsableArguments {
    @OptionGroup var store: StorePath

    @Option(
        help: ArgumentHelp(
            "The value of --admin-socket of `waypost serve`.",
            discussion: "Default: the path of the SQLite store's file with .socket added.",
            valueName: "path"))
    var adminSocket: String?

    func validate() throws { try SocketPath.check(adminSocket) }

    /// Returns the path of the admin socket: the value of `--admin-socket`, or else the default
    /// path beside the file of the store.
    ///
    /// If the user names neither a socket nor a store, the service of the Debian package is found,
    /// too: its socket is used if no service listens at the default path, where one that was killed
    /// may have left its socket.
    /// - Throws: `ValidationError` if the store is not a file and no socket is named.
    func socket() throws -> String {
        if let adminSocket { return adminSocket }
        let path = try store.path()
        let socket = StoreOption.socket(of: path)
        let package = StoreOption.socket(of: StoreOption.packagePath)
        guard path == StoreOption.defaultPath, !Self.isInUse(socket) else { return socket }
        var status = stat()
        if stat(package, &status) == 0 { return package }
        // The package's folder is closed to other users. A user without a store of their own then
        // learns that they may not use its socket, and not that no service listens.
        let isClosed = errno == EACCES && !FileManager.default.fileExists(atPath: path)
        return isClosed ? package : socket
    }

    /// Sends a request to the service and returns the body of the response.
    /// - Parameter write: writes the members of the request's JSON body.
    /// - Throws: `CommandFailure` if the request fails or no service listens.
    @discardableResult
    func post(_ path: String, _ write: (inout JSONWriter) -> Void) throws -> JSONValue {
        guard let response = try postIfReachable(path, write) else { throw try noService() }
        return response
    }

    /// The predicates for outcomes that the service does not know, by the codes of its problems. The
    /// details of these problems advise an Idempotency-Key, which commands do not have.
    private static let unknownOutcomes = [
        Problem.Kind.shuttingDown.code: "is shutting down",
        Problem.Kind.timedOut.code: "has taken too long",
        Problem.Kind.outcomeUnknown.code: "could not confirm the change",
    ]

    /// - Parameter reason: a predicate of the service.
    private static func unknownOutcome(
        _ socket: String, _ reason: String, code: String? = nil
    ) -> CommandFailure {
        CommandFailure(
            "the service at \(socket) \(reason); the command may have taken effect: check before you "
                + "repeat the command", code: code)
    }

    private func noService() throws -> CommandFailure {
        CommandFailure(
            "no service listens at \(try socket()): start the service, or name its socket with "
                + "--admin-socket")
    }

    /// Sends a request to the service and returns the body of the response.
    /// - Parameter write: writes the members of the request's JSON body.
    /// - Returns: nil if no service listens, and the user has named the store or no socket. The
    ///   default store may belong to another service than a named socket.
    /// - Throws: `CommandFailure` if the request fails, or if no service listens at a named socket
    ///   and the user has not named its store.
    func postIfReachable(
        _ path: String, _ write: (inout JSONWriter) -> Void
    ) throws -> JSONValue? {
        let body = JSONWriter.bytes { $0.object(write) }
        let socket = try socket()
        guard let connection = try Self.connection(to: socket) else {
            let isDefault = store.store == .sqlite(path: StoreOption.defaultPath)
            if adminSocket != nil, isDefault { throw try noService() }
            return nil
        }
        guard let (status, content) = connection.exchange("POST", path, json: body) else {
            throw Self.unknownOutcome(socket, "ended the connection without a response")
        }
        let response = (try? JSONValue(parsing: content, maximumDepth: 32)) ?? .null
        guard (200...299).contains(status) else {
            let code = response["code"]?.text
            if let code, let reason = Self.unknownOutcomes[code] {
                throw Self.unknownOutcome(socket, reason, code: code)
            }
            let detail =
                response["detail"]?.text ?? "the service responded with status \(status)"
            // If the body has defects, the detail begins with a JSON pointer into the request body,
            // such as `/username`. The user of a command sees no request body, so that the slash
            // would only confuse. Other details can begin with the path of a file.
            let beginsWithPointer = response["errors"] != nil && detail.hasPrefix("/")
            throw CommandFailure(
                beginsWithPointer ? String(detail.dropFirst()) : detail, code: code)
        }
        return response
    }

    /// Whether a service listens on a socket, possibly one that this user may not use.
    private static func isInUse(_ socket: String) -> Bool {
        do throws(ConnectError) {
            guard let connection = try PlainHTTP(path: socket) else { return false }
            _ = consume connection
            return true
        } catch {
            return true
        }
    }

    /// Connects to the admin socket; returns nil if no service listens on it.
    private static func connection(to socket: String) throws(CommandFailure) -> PlainHTTP? {
        do throws(ConnectError) {
            return try PlainHTTP(path: socket)
        } catch {
            let advice =
                error.isPermissionDenied
                ? "run the command as the user of the service, or as root"
                : "name the socket of the service with --admin-socket"
            throw CommandFailure("\(socket): \(error): \(advice)")
        }
    }
}

extension Environment {
    /// An environment that uses the clock and the random numbers of the system.
    static let system = Environment(
        now: { Timestamp(clock: Date().timeIntervalSince1970) },
        random: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        })
}
