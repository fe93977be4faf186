import HTTPCore

extension Request {
    /// Whether the client prefers a response without the session (`Prefer: return=minimal`, RFC
    /// 7240). If the request has several `return` preferences, only the first one counts.
    var prefersMinimal: Bool {
        guard let field = headers.combined("Prefer") else { return false }
        for preference in field.split(separator: ",") {
            let word = preference.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.first?.lowercased() == "return" else { continue }
            return parts.count == 2 && ["minimal", "\"minimal\""].contains(parts[1])
        }
        return false
    }
}
