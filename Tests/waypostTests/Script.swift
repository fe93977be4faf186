import WaypostTesting

@testable import waypost

/// Definitions that the tests' scripts share.
enum Script {
    /// Defines `serve`, which starts a service on `store.sqlite` with the given options and returns
    /// when the service listens. `$service` is its process and `$url` its address.
    static let serve = """
        store=sqlite:$PWD/store.sqlite
        serve() {
          : > serve.log
          \(Shell.waypost) serve --port 0 --store $store "$@" > serve.log 2>> serve.errors &
          service=$!
          url=$(seen 'http://[0-9.:]*' serve.log) || { cat serve.errors >&2; exit 9; }
        }

        """
}

/// Returns the message with which a command refuses arguments before it runs; nil if the command
/// takes them.
func refusal(of arguments: String) -> String? {
    do {
        _ = try Waypost.parseAsRoot(arguments.split(separator: " ").map(String.init))
        return nil
    } catch {
        return Waypost.fullMessage(for: error)
    }
}
