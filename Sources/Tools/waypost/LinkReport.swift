import AppDefinition
import Flows
import Foundation
import JSON
import NavigationRules

/// The output of `waypost links`.
struct LinkReport {
    /// A file of a website, and its rules' verdicts about the links of the app.
    private struct Site {
        let file: String
        /// For each host and each example, the URL and what the system does with it.
        var links: [(url: String, verdict: String)] = []
        /// The rules that let in links without a pattern, with such a link.
        var strays: [(number: Int, link: String)] = []
        var defect: String?
    }

    private let app: App
    private let listings: [LinkListing]
    private var sites: [Site] = []
    /// The first file that cannot be read; nil if all can.
    private(set) var unreadable: FileFailure?
    /// Whether a file has several apps, of which none was chosen.
    private(set) var isAmbiguous = false

    init(_ app: App) {
        self.app = app
        listings = app.linkListings
    }

    var hasDefects: Bool {
        listings.contains { $0.defect != nil } || sites.contains { $0.defect != nil }
    }

    /// Adds what a file of a website says about the examples.
    /// - Parameter read: reads the JSON of the file. Returns its rules, and a function that returns
    ///   what the system does with a link.
    mutating func add(
        _ file: String,
        _ read: (JSONValue) throws(LinkFileError) -> (
            [URLComponentPattern], (String) -> SiteAssociation.Verdict
        )
    ) {
        let data: Data
        do throws(FileFailure) {
            data = try InputFile.bytes(file)
        } catch {
            unreadable = unreadable ?? error
            return
        }
        var site = Site(file: file)
        defer { sites.append(site) }
        let content: JSONValue
        do throws(JSONSyntaxError) {
            content = try JSONValue(parsing: Array(data), maximumDepth: 32)
        } catch {
            site.defect = "not valid JSON: \(error)"
            return
        }
        do throws(LinkFileError) {
            let (components, verdict) = try read(content)
            let hosts = app.storyboard.links.hosts
            site.links = (hosts.isEmpty ? [""] : hosts.map { "https://\($0)" }).flatMap { host in
                listings.map { ("\(host)\($0.example)", verdict($0.example).description) }
            }
            site.strays = components.strayLinks { app.storyboard.hasPattern(for: $0) }
        } catch {
            site.defect = error.description
            isAmbiguous = isAmbiguous || error.isAmbiguous
        }
    }

    // MARK: Text

    var text: String {
        var lines = table(listings.map(Self.cells))
        if listings.isEmpty {
            lines.append(
                "no scene has a path, so no link opens the app; a storyboard of Xcode declares none"
            )
        }
        for listing in listings {
            guard let defect = listing.defect else { continue }
            lines.append("error: \(listing.pattern): \(listing.example): \(defect)")
        }
        for site in sites {
            lines.append("")
            lines.append(site.defect.map { "error: \(site.file): \($0)" } ?? site.file)
            lines += table(site.links.map { ["  \($0.url)", $0.verdict] })
            for stray in site.strays {
                lines.append(
                    "  component \(stray.number) lets in \(stray.link), which no pattern matches: "
                        + unknown)
            }
        }
        return lines.map(\.printableLine).joined(separator: "\n")
    }

    private var unknown: String {
        app.storyboard.notFound.map { "it opens \($0.name)" } ?? "it is refused"
    }

    private static func cells(_ listing: LinkListing) -> [String] {
        [
            listing.pattern, listing.scene,
            listing.place.presentation ?? listing.place.tab ?? "-",
            listing.query.isEmpty ? "-" : listing.query.joined(separator: " "), listing.example,
            listing.isMain ? "main" : "alias",
        ]
    }

    /// Returns lines with aligned columns.
    private func table(_ rows: [[String]]) -> [String] {
        guard let first = rows.first else { return [] }
        let widths = first.indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }.joined(separator: "  ").replacing(#/ +$/#, with: "")
        }
    }

    // MARK: JSON

    var json: String {
        JSONWriter.text { json in
            json.member("storyboard", app.storyboard.name)
            json.member("hosts", app.storyboard.links.hosts)
            json.member("schemes", app.storyboard.links.schemes)
            json.member("notFound", app.storyboard.notFound?.name)
            json.objects("links", listings) { json, listing in
                json.member("pattern", listing.pattern)
                json.member("scene", listing.scene)
                json.member("tab", listing.place.tab)
                json.member("presentation", listing.place.presentation)
                json.member("query", listing.query)
                json.member("example", listing.example)
                json.member("main", listing.isMain)
                json.member("defect", listing.defect)
            }
            json.objects("sites", sites) { json, site in
                json.member("file", site.file)
                json.member("defect", site.defect)
                json.objects("links", site.links) { json, link in
                    json.member("url", link.url)
                    json.member("verdict", link.verdict)
                }
                json.objects("strays", site.strays) { json, stray in
                    json.member("component", stray.number)
                    json.member("link", stray.link)
                }
            }
        }
    }
}

extension LinkListing.Place {
    fileprivate var tab: String? { if case .root(let tab) = self { tab } else { nil } }

    fileprivate var presentation: String? {
        if case .presented(let style) = self { style.rawValue } else { nil }
    }
}
