import JSON
import NavigationRules
import WaypostCore

// The binary form of operations in the histories of earlier versions: the number of the operation's
// kind, followed by its arguments. The last of these versions stored the JSON text with which a client
// could request the operation.

extension ByteReader {
    /// Reads an operation.
    /// - Throws: `DamagedBytes`, or the error of the JSON reader; also for an operation that no
    ///   client could have requested, so that each operation that is read can be written.
    mutating func operation() throws -> Operation {
        let operation = Operation(try operation(depth: 4))
        let json = JSONWriter.bytes(capacity: 128) { operation.write(to: &$0) }
        guard try Self.operation(json) == operation else { throw DamagedBytes() }
        return operation
    }

    /// - Parameter depth: the maximum nesting depth of an operation in the earlier form. Operations
    ///   that contain others, such as a batch, need a depth of at least 2.
    private mutating func operation(depth: Int) throws -> any NavigationOperation {
        guard depth > 0 else { throw DamagedBytes() }
        switch try byte() {
        case 0: return Push(try target())
        case 1: return Pop()
        case 2: return PopTo(try viewController())
        case 3: return PopTo(scene: try text())
        case 4: return PopToRoot()
        case 5: return SetViewControllers(try array { try $0.target() })
        case 6: return SetRootViewController(try target())
        case 7: return SelectRow(try signed())
        case 8: return SelectSegment(try signed())
        case 9: return Back()
        case 10:
            let link = Link.path(try text())
            _ = try texts()
            return Open(link)
        case 11:
            return Present(
                scene: try text(), parameters: try parameters(),
                style: try optional { try $0.choice() },
                isModalInPresentation: try optional { try $0.flag() },
                from: try optional { try $0.viewController() })
        case 12: return Dismiss(try optional { try $0.viewController() })
        case 13: return SwipeDown()
        case 14: return SelectTab(try signed())
        case 15: return TapTab(try signed())
        case 16:
            return PerformSegue(
                try text(), parameters: try parameters(),
                from: try optional { try $0.viewController() })
        case 17:
            // The number of the form: a title, or an index.
            switch try byte() {
            case 0: return TapControl(title: try text(), in: try optional { try $0.choice() })
            case 1: return TapControl(try signed(), in: try choice())
            default: throw DamagedBytes()
            }
        case 18: return Show(try target())
        case 19: return Unwind(action: try text())
        case 20: return Unwind(try viewController())
        case 21:
            let id = NavigationController.ID(number: try number())
            guard let onStack = try operation(depth: depth - 1) as? any StackOperation else {
                throw DamagedBytes()
            }
            return onStack.on(id)
        case 22: return Batch(try array { Operation(try $0.operation(depth: depth - 1)) })
        case 23:
            return Patch(
                try viewController(), try changes(),
                parameters: try optional { try $0.textsByName() })
        case 26: return try Self.operation(Array(try raw(try number()))).base
        default: throw DamagedBytes()
        }
    }

    private static func operation(_ json: [UInt8]) throws -> Operation {
        guard case .object(let object) = try JSONValue(parsing: json, maximumDepth: 32) else {
            throw DamagedBytes()
        }
        var reader = BodyReader(object)
        guard let operation = Operation.read(&reader, inBatch: false)?.operation else {
            throw DamagedBytes()
        }
        try reader.finish()
        return operation
    }

    private mutating func viewController() throws -> ViewController.ID {
        ViewController.ID(number: try number())
    }

    /// Reads parameters; none are nil, as in a request without the member.
    private mutating func parameters() throws -> [String: String]? {
        let texts = try textsByName()
        return texts.isEmpty ? nil : texts
    }

    private mutating func target() throws -> Target {
        switch try byte() {
        case 0: .scene(try text(), parameters: try textsByName())
        case 1: .instance(try viewController())
        default: throw DamagedBytes()
        }
    }
}
