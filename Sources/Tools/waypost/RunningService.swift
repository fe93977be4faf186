import ArgumentParser
import Foundation
import JSON
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

    /// Returns the path of the admin socket: the value of `--admin-socket`, or else the default
    /// path beside the file of the store.
    ///
    /// If the user names neither a socket nor a store, the service of the Debian package is found,
    /// too: its socket is used if there is none at the default path.
    /// - Throws: `ValidationError` if the store is not a file and no socket is named.
    func socket() throws -> String {
        if let adminSocket { return adminSocket }
        let path = try store.path()
        let socket = StoreOption.socket(of: path)
        let package = StoreOption.socket(of: StoreOption.packageFolder + "/waypost.sqlite")
        guard path == StoreOption.defaultPath, !FileManager.default.fileExists(atPath: socket)
        else { return socket }
        var status = stat()
        if stat(package, &status) == 0 { return package }
        // The package's folder is closed to other users. A user without a store of their own then
        // learns that they may not use its socket, and not that no service listens.
        let isClosed = errno == EACCES && !FileManager.default.fileExists(atPath: path)
        return isClosed ? package : socket
    }

    /// Sends a request to the service and returns the body of the response.
    /// - Parameter write: writes the members of the request's JSON body.
    /// - Throws: `ExitStatus` if the request fails or no service listens. The reason is
    ///   printed first.
    @discardableResult
    func post(_ path: String, _ write: (inout JSONWriter) -> Void) throws -> JSONValue {
        let socket = try socket()
        guard let response = try postIfReachable(path, write) else {
            printError(
                "no service listens at \(socket): start the service, or name its socket with "
                    + "--admin-socket")
            throw ExitStatus.couldNotRun
        }
        return response
    }

    /// Sends a request to the service and returns the body of the response.
    /// - Parameter write: writes the members of the request's JSON body.
    /// - Returns: nil if no service listens.
    /// - Throws: `ExitStatus` if the request fails. The reason is printed first.
    func postIfReachable(
        _ path: String, _ write: (inout JSONWriter) -> Void
    ) throws -> JSONValue? {
        var body = JSONWriter()
        body.object(write)
        let socket = try socket()
        let answer: (status: Int, body: JSONValue)?
        do throws(AdminClient.Failure) {
            answer = try AdminClient(socket: socket).post(path, body)
        } catch {
            printError(Self.message(error, socket))
            throw ExitStatus.couldNotRun
        }
        guard let response = answer else { return nil }
        guard (200...299).contains(response.status) else {
            let detail =
                response.body["detail"]?.text
                ?? "the service responded with status \(response.status)"
            // If the body has defects, the detail begins with a JSON pointer into the request body,
            // such as `/username`. The user of a command sees no request body, so that the slash
            // would only confuse. Other details can begin with the path of a file.
            let beginsWithPointer = response.body["errors"] != nil && detail.hasPrefix("/")
            printError(beginsWithPointer ? String(detail.dropFirst()) : detail)
            throw ExitStatus.couldNotRun
        }
        return response.body
    }

    private static func message(_ failure: AdminClient.Failure, _ socket: String) -> String {
        switch failure {
        case .noResponse:
            "the service at \(socket) ended the connection without a response; the command may "
                + "have taken effect: check before you repeat the command"
        case .cannotConnect(let error) where error.isPermissionDenied:
            "\(socket): \(error): run the command as the user of the service, or as root"
        case .cannotConnect(let error):
            "\(socket): \(error): name the socket of the service with --admin-socket"
        }
    }

    func change(_ path: String, _ username: String, password: String? = nil) throws {
        try post(path) { json in
            json.member("username", username)
            if let password { json.member("password", password) }
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
