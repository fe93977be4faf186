import HTTPCore
import NavigationRules

/// The description of a route in `openapi.yaml`. `make openapi` reads the descriptions; the service
/// does not.
///
/// A description has only what the path and the method do not tell. `RouteDescription+Shared.swift`
/// derives the rest, such as the parameters and problems that all changes of a session share.
package struct RouteDescription: Sendable {
    package enum Tag: String, Sendable {
        case catalog = "Catalog"
        case sessions = "Sessions"
        case navigation = "Navigation"
        case auth = "Auth"
        case account = "Account"
        case service = "Service"
    }

    /// The content of a request.
    package struct Body: Sendable {
        package let schema: String
        /// Whether an empty body means an empty object.
        package var isOptional = false
        package var isMergePatch = false
    }

    /// The response to a request that is carried out.
    package struct Answer: Sendable {
        package var status: Status = .ok
        package var mediaTypes = ["application/json"]
        /// The name of the schema of a JSON response; nil for other content.
        package var schema: String?
        /// Whether the response is a page of a list, whose items have the schema.
        package var isPage = false
        /// The names of header fields in `Fragments/headers.yaml`.
        package var headers: [String] = []

        package static func json(_ schema: String) -> Answer { Answer(schema: schema) }
        package static func page(of schema: String) -> Answer {
            Answer(schema: schema, isPage: true)
        }
        /// The outcome of a change, and the session after it.
        package static func change(_ schema: String = "Change") -> Answer {
            Answer(schema: schema, headers: ["ETag", "PreferenceApplied"])
        }
        /// Whether the response describes a change of a session.
        package var isChange: Bool { headers.contains("PreferenceApplied") }
        package static func created(_ schema: String, _ headers: [String] = []) -> Answer {
            Answer(status: .created, schema: schema, headers: headers)
        }
        package static let empty = Answer(status: .noContent, mediaTypes: [])
        package static func content(_ mediaTypes: String..., headers: [String] = []) -> Answer {
            Answer(mediaTypes: mediaTypes, headers: headers)
        }
    }

    /// The use that clients and proxies may make of a stored response.
    package enum Caching: Sendable {
        case forbidden
        /// A client asks with the tag whether it still has the current version.
        case validated
        /// Like `validated`, but the response has no tag.
        case untagged
        /// Proxies may store the response for minutes: it does not depend on a session.
        case shared
        /// The files of the inspector.
        case page
    }

    package let method: Method
    package let path: String
    package let tag: Tag
    package let summary: String
    package let text: String
    package let parameters: [String]
    package let body: Body?
    package let answer: Answer
    package let caching: Caching
    /// The kinds of problems of this route alone, and the refusals of the rules.
    let problems: [Problem.Kind]
    let refusals: [NavigationError.Code]

    /// Creates a description.
    /// - Parameters:
    ///   - summary: a phrase or a sentence. Its period is left out.
    ///   - text: further sentences in Markdown.
    ///   - parameters: the names of query parameters and header fields in
    ///     `Fragments/parameters.yaml`.
    package init(
        _ method: Method, _ path: String, _ tag: Tag, _ summary: String, _ text: String = "",
        parameters: [String] = [], body: Body? = nil, answer: Answer,
        caching: Caching = .forbidden, problems: [Problem.Kind] = [],
        refusals: [NavigationError.Code] = []
    ) {
        self.method = method
        self.path = path
        self.tag = tag
        self.summary = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
        self.text = text
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.caching = caching
        self.problems = problems
        self.refusals = refusals
    }
}
