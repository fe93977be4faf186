extension Waypost {
    /// The version of the program, of its packages and of the API's description (`openapi.yaml`).
    ///
    /// This line is the only place of the version: `.dist/version` reads it for the packages and
    /// the image, and compares it with `openapi.yaml` and `CHANGELOG.md`.
    static let version = "0.2.0"
}
