import SwiftUI

extension View {
    /// Records the path of a `NavigationStack` as a trace for `waypost verify`. The modifier belongs on the
    /// `NavigationStack`; iOS 17 or later.
    /// - Parameters:
    ///   - root: the scene of the stack's root view.
    ///   - scene: returns the name of the scene for an element of the path.
    ///   - write: appends a line to a file.
    func recordsTrace<Route: Hashable>(
        of path: [Route], root: String, app: String, scene: @escaping (Route) -> String,
        write: @escaping (String) -> Void
    ) -> some View {
        func line(_ object: [String: Any]) {
            guard let json = try? JSONSerialization.data(withJSONObject: object) else { return }
            write(String(decoding: json, as: UTF8.self) + "\n")
        }
        func step(_ path: [Route]) {
            line(["stack": ([root] + path.map(scene)).map { ["scene": $0] }])
        }
        return onAppear {
            line(["waypostTrace": 1, "app": app, "callbacks": [String]()])
            step(path)
        }
        .onChange(of: path) { _, path in step(path) }
    }
}
