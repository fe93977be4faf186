/// Unique ids for a list of names, the same for the same list.
///
/// The first name of each slug gets the slug itself. Each later one gets the slug with `-2`, `-3`
/// and so on, the first that no slug of the list and no earlier id is: "A", "A", "A 2" get `a`,
/// `a-3`, `a-2`. So a name keeps its own slug whatever is repeated before it.
enum Identifiers {
    /// - Parameter fallback: stands for the slug of a name that has none.
    /// - Returns: the ids in the order of the names.
    static func unique(for names: [String], orElse fallback: String) -> [String] {
        let slugs = names.map { name in
            let slug = Slug(name).text
            return slug.isEmpty ? fallback : slug
        }
        var taken = Set(slugs)
        // Counting on from the last suffix of a slug keeps many equal names from being quadratic.
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
