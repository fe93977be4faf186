import JSON
import Navigation

// The binary form of operations in the histories of earlier versions: the number of the operation's
// kind, followed by its arguments. The last of these versions stored the JSON text with which a client
// could request the operation.

/// The kind of an operation that is stored as JSON.
private let jsonKind: UInt8 = 26

extension ByteReader {
    /// Reads an operation.
    /// - Throws: `DamagedBytes`, also for an operation that no client could have requested, so that
    ///   each operation that is read can be written.
    mutating func operation() throws(DamagedBytes) -> Operation {
        let operation = try operation(depth: 4)
        var json = JSONWriter(capacity: 128)
        operation.write(to: &json)
        guard try Self.operation(json.bytes) == operation else { throw DamagedBytes() }
        return operation
    }

    /// - Parameter depth: the maximum nesting depth of an operation in the earlier form. Operations
    ///   that contain others, such as a batch, need a depth of at least 2.
    private mutating func operation(depth: Int) throws(DamagedBytes) -> Operation {
        guard depth > 0 else { throw DamagedBytes() }
        switch try byte() {
        case 0: return Operation(Push(try target()))
        case 1: return Operation(Pop())
        case 2: return Operation(PopTo(try viewController()))
        case 3: return Operation(PopTo(scene: try text()))
        case 4: return Operation(PopToRoot())
        case 5:
            return Operation(
                SetViewControllers(
                    try array { reader throws(DamagedBytes) in try reader.target() }))
        case 6: return Operation(SetRootViewController(try target()))
        case 7: return Operation(SelectRow(try signed()))
        case 8: return Operation(SelectSegment(try signed()))
        case 9: return Operation(Back())
        case 10:
            let link = Link.path(try text())
            _ = try texts()
            return Operation(Open(link))
        case 11: return Operation(try presentation())
        case 12: return Operation(Dismiss(try optionalViewController()))
        case 13: return Operation(SwipeDown())
        case 14: return Operation(SelectTab(try signed()))
        case 15: return Operation(TapTab(try signed()))
        case 16:
            return Operation(
                PerformSegue(
                    try text(), parameters: try optionalTextsByName(),
                    from: try optionalViewController()))
        case 17: return Operation(try tap())
        case 18: return Operation(Show(try target()))
        case 19: return Operation(Unwind(action: try text()))
        case 20: return Operation(Unwind(try viewController()))
        case 21:
            let id = NavigationController.ID(number: try number())
            let operation = try operation(depth: depth - 1)
            guard let onStack = operation.base as? any StackOperation else { throw DamagedBytes() }
            return Operation(onStack.on(id))
        case 22:
            return Operation(
                Batch(
                    try array { reader throws(DamagedBytes) in
                        try reader.operation(depth: depth - 1)
                    }))
        case 23:
            return Operation(
                Patch(
                    try viewController(), try changes(),
                    parameters: try optional { reader throws(DamagedBytes) in
                        try reader.textsByName()
                    }))
        case jsonKind: return try Self.operation(Array(try raw(try number())))
        default: throw DamagedBytes()
        }
    }

    private static func operation(_ bytes: [UInt8]) throws(DamagedBytes) -> Operation {
        guard let value = try? JSONValue(parsing: bytes, maximumDepth: 32),
            case .object(let object) = value
        else { throw DamagedBytes() }
        var reader = BodyReader(object)
        guard let operation = Operation.read(&reader, where: { _ in true })?.operation,
            (try? reader.finish()) != nil
        else { throw DamagedBytes() }
        return operation
    }

    private mutating func viewController() throws(DamagedBytes) -> ViewController.ID {
        ViewController.ID(number: try number())
    }

    private mutating func optionalViewController() throws(DamagedBytes) -> ViewController.ID? {
        try optional { reader throws(DamagedBytes) in try reader.viewController() }
    }

    /// Reads parameters; none are nil, as in a request without the member.
    private mutating func optionalTextsByName() throws(DamagedBytes) -> [String: String]? {
        let texts = try textsByName()
        return texts.isEmpty ? nil : texts
    }

    private mutating func target() throws(DamagedBytes) -> Target {
        switch try byte() {
        case 0: .scene(try text(), parameters: try textsByName())
        case 1: .instance(try viewController())
        default: throw DamagedBytes()
        }
    }

    private mutating func presentation() throws(DamagedBytes) -> Present {
        Present(
            scene: try text(), parameters: try optionalTextsByName(),
            style: try optional { reader throws(DamagedBytes) in try reader.choice() },
            isModalInPresentation: try optional { reader throws(DamagedBytes) in
                try reader.flag()
            },
            from: try optionalViewController())
    }

    private mutating func tap() throws(DamagedBytes) -> TapControl {
        switch try byte() {
        case 0:
            TapControl(
                title: try text(),
                in: try optional { reader throws(DamagedBytes) in try reader.choice() })
        case 1: TapControl(try signed(), in: try choice())
        default: throw DamagedBytes()
        }
    }
}
