import Foundation
import NavigationRules
import WaypostCore

@testable import AppDefinition

func fuzzPropertyList(_ bytes: [UInt8]) {
    guard let value = try? PropertyList(bytes: bytes, admittingJSON: .jansson),
        let writable = value.writable
    else { return }
    guard
        let data = try? PropertyListSerialization.data(
            fromPropertyList: writable, format: .binary, options: 0)
    else { fatalError("cannot be written again") }
    do throws(UnreadablePropertyList) {
        let again = try PropertyList(bytes: [UInt8](data), admittingJSON: nil)
        precondition(again == value)
    } catch {
        fatalError("refused when it is written again: \(error)")
    }
}

/// A storyboard, and a catalog, which are checked for sense too.
func fuzzStoryboard(_ bytes: [UInt8]) {
    guard let value = try? PropertyList(bytes: bytes, admittingJSON: .jansson) else { return }
    do throws(UnusableFile) {
        _ = try Decoded(value, Diagnostics(file: "fuzz")) { reader -> Storyboard? in
            guard let draft = StoryboardDecoder().draft(from: reader) else { return nil }
            do throws(StoryboardDefects) {
                return try Storyboard(draft, dataSource: source)
            } catch {
                for defect in error.defects {
                    reader.reportDefect(defect.reason, at: defect.keyPath)
                }
                return nil
            }
        }
    } catch {
        precondition(!error.defects.isEmpty)
    }
    do throws(UnusableFile) {
        let catalog = try Decoded(value, Diagnostics(file: "fuzz")) {
            Catalog.decode($0, coversFolder: folder)
        }.value
        let ids = catalog.authors.map(\.id)
        precondition(Set(ids).count == ids.count)
        _ = RecordSource(catalog)
    } catch {
        precondition(!error.defects.isEmpty)
    }
}

private let source = RecordSource(
    Catalog(authors: [
        Author(
            id: "an-author", name: "An Author",
            books: [Book(id: "a-book", title: "A Book", cover: nil, attributes: [])],
            attributes: [])
    ]))

/// Without a cover in it.
private let folder: String = {
    let path = NSTemporaryDirectory() + "waypost-fuzz"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}()

extension PropertyList {
    /// As Foundation writes it; nil if it is not equal to itself, or has what Foundation does not
    /// write.
    fileprivate var writable: Any? {
        switch self {
        case .string(let text): return text
        case .integer(let number): return number
        case .real(let number): return number.isNaN ? nil : number
        case .boolean(let flag): return flag
        case .date(let date): return date
        case .data(let data): return data
        case .null: return nil
        case .array(let elements):
            let writable = elements.compactMap(\.writable)
            return writable.count == elements.count ? writable : nil
        case .dictionary(let members):
            let writable = members.compactMapValues(\.writable)
            return writable.count == members.count ? writable : nil
        }
    }
}
