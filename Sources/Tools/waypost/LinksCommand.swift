import AppDefinition
import ArgumentParser
import Foundation
import JSON
import NavigationRules

struct LinksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        abstract: "List the links of an app, and check what a website says about them.",
        discussion: """
            Prints a line for each pattern, the most specific first: the pattern, its scene, the tab \
            or the layer, the parameters from the query, an example, and whether the pattern is the \
            main one of its scene or an alias. Exits with 1 if an example does not open its scene, \
            because a more specific pattern shadows it or for another reason, or if the file of \
            --assetlinks does not let the app open links. Uses no network.

            \(DataOptions.help)
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @OptionGroup(title: "App") var data: DataOptions

    @Option(help: "The form of the output: text or json.")
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "The apple-app-site-association file of the website.",
            discussion: "Prints what iOS does with each example.", valueName: "file"))
    var aasa: String?

    @Option(
        help: ArgumentHelp(
            "The id of the app in --aasa, such as ABCDE12345.com.example.app.", valueName: "id"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "The assetlinks.json file of the website.",
            discussion: "Prints what Android does with each example.", valueName: "file"))
    var assetlinks: String?

    @Option(help: ArgumentHelp("The package of the app in --assetlinks.", valueName: "name"))
    var package: String?

    func validate() throws {
        if app != nil, aasa == nil { throw ValidationError("--app needs --aasa") }
        if (package == nil) != (assetlinks == nil) {
            throw ValidationError("--assetlinks and --package need each other")
        }
    }

    func run() throws {
        let app = try data.load(showsWarnings: false, ifDefective: .findings).app
        var report = LinkReport(app)
        if let aasa {
            report.add(aasa) { file throws(LinkFileError) in
                let association = try SiteAssociation(file, app: self.app)
                return (association.components, association.verdict)
            }
        }
        if let assetlinks, let package {
            report.add(assetlinks) { file throws(LinkFileError) in
                let links = try AssetLinks(file, package: package)
                return (links.components ?? [], links.verdict)
            }
        }
        if format == .json { printJSON(report.json) } else { printOutput(report.text) }
        if let failure = report.unreadable { throw failure }
        if report.isAmbiguous { throw ExitStatus.couldNotRun }
        if report.hasDefects { throw ExitStatus.findings }
    }
}
