import Foundation
import JSON
import NavigationRules

/// A storyboard file: JSON, or a property list in XML, binary or OpenStep format.
package struct StoryboardFile {
    package struct Content {
        package let storyboard: Storyboard
        package let dataSource: RecordSource
        package let images: [String: Cover]
        /// Whether the storyboard contains its own data, in its member `data`.
        package let hasOwnData: Bool
    }

    let path: String
    /// Parses the storyboard and its data where they are JSON.
    let json: JSONParser
    /// The storyboard in memory, if it is the built-in one, an app has it, or it was generated from
    /// an Xcode storyboard at `path`; nil to read the file at `path`.
    package var content: (bytes: [UInt8], isGenerated: Bool)?
    /// The path of the file whose folder is the base for relative paths in the storyboard's data.
    let base: String

    /// The file name that diagnostics show.
    package var name: String { URL(fileURLWithPath: path).lastPathComponent }

    /// Stores the path of a storyboard without reading the file.
    /// - Parameter base: the path of the file to whose folder the paths in the data are relative;
    ///   nil for the storyboard.
    package init(path: String, base: String? = nil, json: JSONParser) {
        self.path = path
        self.json = json
        self.base = base ?? path
    }

    /// Returns the paths of the files and folders that a file names in its member `data`; empty if
    /// the file cannot be read. Blocks the thread until the file is read.
    package static func dataFiles(namedIn path: String, json: JSONParser) -> [String] {
        var paths: [String] = []
        // The defects of the file are those of `read(library:)`.
        _ = try? Decoded<Bool>(contentsOfFile: path, admittingJSON: json) { reader in
            let data = reader.member("data")
            for file in data.map({ RecordFile.files(from: $0, namedIn: path) }) ?? [] {
                paths += [file.path, file.imagesPath].compactMap(\.self)
            }
            return true
        }
        return paths
    }

    /// Reads the storyboard and checks it against its data. Blocks the thread until the files are
    /// read.
    /// - Parameter library: the data to use if the storyboard does not contain its own data.
    /// - Throws: all defects of the storyboard and its data.
    package func read(library: RecordSource) throws(UnusableFile) -> Decoded<Content> {
        var data = OwnData()
        var reading: Decoded<Content>
        do throws(UnusableFile) {
            reading = try decoded { reader in
                let member = reader.member("data")
                for file in member.map({ RecordFile.files(from: $0, namedIn: base) }) ?? [] {
                    data.read(file, json)
                }
                let source = member == nil ? library : RecordSource(data.hierarchies)
                guard let storyboard = storyboard(from: reader, dataSource: source) else {
                    return nil
                }
                return Content(
                    storyboard: storyboard, dataSource: source, images: data.images,
                    hasOwnData: member != nil)
            }
        } catch {
            throw UnusableFile(
                defects: error.defects + data.defects, warnings: error.warnings + data.warnings)
        }
        guard data.defects.isEmpty else {
            throw UnusableFile(defects: data.defects, warnings: reading.warnings + data.warnings)
        }
        for file in data.files { reading = reading.adding(file) }
        return reading
    }

    private func decoded(
        _ decode: (PropertyListReader) -> Content?
    ) throws(UnusableFile) -> Decoded<Content> {
        guard let content else {
            return try Decoded(contentsOfFile: path, admittingJSON: json, decode: decode)
        }
        return try Decoded(
            bytes: content.bytes, from: name, admittingJSON: json,
            showsPositions: !content.isGenerated, decode: decode)
    }

    private func storyboard(
        from reader: PropertyListReader, dataSource: any DataSource
    ) -> Storyboard? {
        guard let draft = StoryboardDecoder().draft(from: reader) else { return nil }
        // The draft lacks the parts that have defects. Warnings, such as one of a scene that no user
        // can reach, could be consequences of these defects.
        let isWhole = !reader.fileHasDefects
        func warn(_ warnings: [StoryboardDefect]) {
            for warning in isWhole ? warnings : [] {
                reader.reportWarning(warning.reason, at: warning.keyPath)
            }
        }
        do throws(StoryboardDefects) {
            let storyboard = try Storyboard(draft, dataSource: dataSource)
            warn(storyboard.warnings)
            return storyboard
        } catch {
            for defect in error.defects { reader.reportDefect(defect.reason, at: defect.keyPath) }
            warn(error.warnings)
            return nil
        }
    }
}

/// The records, images and defects of the data files that a storyboard names.
private struct OwnData {
    private(set) var hierarchies: [RecordHierarchy] = []
    private(set) var images: [String: Cover] = [:]
    private(set) var files: [Decoded<(RecordHierarchy, images: [String: Cover])>] = []
    private(set) var defects: [Diagnostic] = []
    private var unusableWarnings: [Diagnostic] = []

    var warnings: [Diagnostic] { files.flatMap(\.warnings) + unusableWarnings }

    /// Reads a data file, and adds its records and images, or its defects. Blocks the thread until
    /// the file is read.
    mutating func read(_ file: RecordFile, _ json: JSONParser) {
        do throws(UnusableFile) {
            let read = try file.read(json)
            let (hierarchy, served) = read.value
            for (name, image) in served.sorted(by: { $0.key < $1.key }) {
                guard let other = images.updateValue(image, forKey: name), other != image
                else { continue }
                let place = URL(fileURLWithPath: file.path).lastPathComponent
                let reason = "two folders of images have a file \(name); rename one"
                defects.append(Diagnostic(file: place, keyPath: "", reason: reason))
            }
            hierarchies.append(hierarchy)
            files.append(read)
        } catch {
            hierarchies.append(file.withoutRecords)
            defects += error.defects
            unusableWarnings += error.warnings
        }
    }
}
