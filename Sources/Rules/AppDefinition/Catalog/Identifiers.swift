/// Derives unique ids from a list of names. Equal lists have equal ids.
///
/// Each id is based on a slug, which is the URL-safe form of a name. The first name with a slug
/// gets the slug as its id. Each later name with the same slug gets the slug with a suffix: the
/// first of `-2`, `-3` and so on that makes the id differ from all slugs of the list and from all
/// earlier ids.
///
/// For example, the ids of "A", "A" and "A 2" are `a`, `a-3` and `a-2`. The second name cannot get
/// `a-2`, because this is the slug of the third name.
enum Identifiers {
    /// Returns one id for each name, in the order of the names.
    /// - Parameter fallback: the slug to use if the slug of a name is empty, as for "?".
    static func unique(for names: [String], orElse fallback: String) -> [String] {
        let slugs = slugs(of: names, orElse: fallback)
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

    /// Returns the number of these names whose ids have a suffix.
    static func suffixes(of names: [String], orElse fallback: String) -> Int {
        names.count - Set(slugs(of: names, orElse: fallback)).count
    }

    private static func slugs(of names: [String], orElse fallback: String) -> [String] {
        names.map { name in
            let slug = Slug(name).text
            return slug.isEmpty ? fallback : slug
        }
    }
}
