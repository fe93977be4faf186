/// Derives unique ids from a list of names. The same list always has the same ids.
///
/// The first name of each slug gets the slug itself. Each later name gets the slug with the first
/// suffix of `-2`, `-3` and so on that makes the id differ from all slugs of the list and all
/// earlier ids: "A", "A", "A 2" get `a`, `a-3`, `a-2`. A name therefore keeps its own slug, even if
/// a repeated name precedes it.
enum Identifiers {
    /// Returns the ids in the order of the names.
    /// - Parameter fallback: the slug for names without any character that a slug can have.
    static func unique(for names: [String], orElse fallback: String) -> [String] {
        let slugs = names.map { name in
            let slug = Slug(name).text
            return slug.isEmpty ? fallback : slug
        }
        var taken = Set(slugs)
        // Each slug remembers its last suffix, so that many equal names do not take quadratic time.
        var suffixes: [String: Int] = [:]
        return slugs.map { slug in
            guard var suffix = suffixes[slug] else {
                suffixes[slug] = 1
                return slug
            }
            var id = slug
            repeat {
                suffix += 1
                id = "\(slug)-\(suffix)"
            } while !taken.insert(id).inserted
            suffixes[slug] = suffix
            return id
        }
    }
}
