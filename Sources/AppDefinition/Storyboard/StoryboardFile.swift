import Foundation
import Navigation
import PropertyLists

/// A storyboard file: JSON, or a property list in XML, binary or OpenStep format.
struct StoryboardFile {
    struct Content {
        let storyboard: Storyboard
        let dataSource: RecordSource
        let images: [String: Cover]
        /// Whether the storyboard brings its data along.
        let hasOwnData: Bool
    }

    let path: String
    /// The content of the file where it has been made from storyboards of Xcode; nil reads the file.
    var imported: [UInt8]?

    /// Reads the storyboard and checks it against its data. Blocks until the files are read.
    /// - Parameter library: the data for a storyboard without its own data.
    /// - Throws: all defects of the storyboard and of its data.
    func read(library: RecordSource) throws(UnusableFile) -> Decoded<Content> {
        var data: Decoded<(source: RecordSource, images: [String: Cover])>?
        var unusableData: UnusableFile?
        let reading: Decoded<Content>
        do throws(UnusableFile) {
            reading = try decoded { reader in
                let file = dataFile(of: reader)
                do throws(UnusableFile) {
                    data = try file?.read()
                } catch {
                    unusableData = error
                }
                let source = data?.value.source ?? file?.emptySource ?? library
                guard let storyboard = storyboard(from: reader, dataSource: source) else {
                    return nil
                }
                return Content(
                    storyboard: storyboard, dataSource: source, images: data?.value.images ?? [:],
                    hasOwnData: file != nil)
            }
        } catch {
            throw UnusableFile(
                defects: error.defects + (unusableData?.defects ?? []),
                warnings: error.warnings + (unusableData?.warnings ?? []))
        }
        if let unusableData { throw unusableData }
        return data.map { reading.adding($0) } ?? reading
    }

    private func decoded(
        _ decode: (PropertyListReader) -> Content?
    ) throws(UnusableFile) -> Decoded<Content> {
        guard let imported else {
            return try Decoded(contentsOfFile: path, admittingJSON: true, decode: decode)
        }
        return try Decoded(
            bytes: imported, from: URL(fileURLWithPath: path).lastPathComponent,
            admittingJSON: true, decode: decode)
    }

    private func dataFile(of reader: PropertyListReader) -> RecordFile? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return reader.member("data").flatMap { RecordFile(from: $0, relativeTo: folder) }
    }

    private func storyboard(
        from reader: PropertyListReader, dataSource: any DataSource
    ) -> Storyboard? {
        guard let draft = StoryboardDecoder().draft(from: reader) else { return nil }
        do throws(StoryboardDefects) {
            let storyboard = try Storyboard(draft, dataSource: dataSource)
            for warning in storyboard.warnings {
                reader.reportWarning(warning.reason, at: warning.keyPath)
            }
            return storyboard
        } catch {
            for defect in error.defects { reader.reportDefect(defect.reason, at: defect.keyPath) }
            return nil
        }
    }
}
