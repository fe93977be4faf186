import WaypostTesting

/// What the tests' scripts have in common.
enum Script {
    /// Defines `serve`, which starts a service on `store.sqlite` with the options that it is given,
    /// and returns when it listens: `$service` is its process, `$url` where it is.
    static let serve = """
        store=sqlite:$PWD/store.sqlite
        serve() {
          : > serve.log
          \(Shell.waypost) serve --port 0 --store $store "$@" > serve.log 2>> serve.errors &
          service=$!
          until url=$(grep -o 'http://[0-9.:]*' serve.log); do
            kill -0 $service || { cat serve.errors >&2; exit 9; }
          done
        }

        """
}
