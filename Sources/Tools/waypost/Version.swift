extension Waypost {
    /// The version of the program, of its packages and of the API's description (`openapi.yaml`).
    ///
    /// The number is defined only here. The script `.dist/version` reads it for the packages and
    /// the image, and compares it with the numbers in `openapi.yaml` and `CHANGELOG.md`.
    static let version = "0.2.0"
}
