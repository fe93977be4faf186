import Navigation

// An operation is encoded as the number of its kind, followed by its arguments. The numbers never
// change: stores hold operations that earlier versions of the program have written.

extension ByteWriter {
    mutating func operation(_ operation: Operation) {
        switch operation {
        case .push(let value): write(0) { $0.target(value) }
        case .pop: byte(1)
        case .popTo(let id): write(2) { $0.number(id.number) }
        case .popToScene(let name): write(3) { $0.text(name) }
        case .popToRoot: byte(4)
        case .setViewControllers(let targets): write(5) { $0.array(targets) { $0.target($1) } }
        case .setRootViewController(let value): write(6) { $0.target(value) }
        case .select(let row): write(7) { $0.signed(row) }
        case .selectSegment(let index): write(8) { $0.signed(index) }
        case .back: byte(9)
        case .open(let link):
            write(10) { writer in
                writer.text(link.path)
                writer.texts(link.segments)
            }
        case .present(let value): write(11) { $0.presentation(value) }
        case .dismiss(let id): write(12) { $0.optional(id?.number) { $0.number($1) } }
        case .swipeDown: byte(13)
        case .selectTab(let index): write(14) { $0.signed(index) }
        case .tapTab(let index): write(15) { $0.signed(index) }
        case .segue(let identifier, let parameters, let source):
            write(16) { writer in
                writer.text(identifier)
                writer.texts(parameters)
                writer.optional(source?.number) { $0.number($1) }
            }
        case .tap(let value): write(17) { $0.tap(value) }
        case .show(let value): write(18) { $0.target(value) }
        case .unwind(.action(let action)): write(19) { $0.text(action) }
        case .unwind(.viewController(let id)): write(20) { $0.number(id.number) }
        case .on(let id, let operation):
            write(21) { writer in
                writer.number(id.number)
                writer.operation(operation)
            }
        case .batch(let operations): write(22) { $0.array(operations) { $0.operation($1) } }
        case .update(let id, let changes, let parameters):
            write(23) { writer in
                writer.number(id.number)
                writer.changes(changes)
                writer.optional(parameters) { $0.texts($1) }
            }
        case .logIn(let username): write(24) { $0.text(username) }
        case .logOut: byte(25)
        }
    }

    private mutating func write(_ kind: UInt8, _ arguments: (inout ByteWriter) -> Void) {
        byte(kind)
        arguments(&self)
    }

    private mutating func target(_ target: Target) {
        switch target {
        case .scene(let name, let parameters):
            byte(0)
            text(name)
            texts(parameters)
        case .instance(let id):
            byte(1)
            number(id.number)
        }
    }

    private mutating func presentation(_ presentation: Presentation) {
        text(presentation.scene)
        texts(presentation.parameters)
        optional(presentation.style) { $0.text($1.rawValue) }
        optional(presentation.isModalInPresentation) { $0.flag($1) }
        optional(presentation.from?.number) { $0.number($1) }
    }

    private mutating func tap(_ target: TapTarget) {
        switch target {
        case .title(let title, let place):
            byte(0)
            text(title)
            optional(place) { $0.text($1.rawValue) }
        case .index(let index, let place):
            byte(1)
            signed(index)
            text(place.rawValue)
        }
    }
}

extension ByteReader {
    /// Reads an operation.
    /// - Parameter depth: the maximum nesting depth of the operation. Operations that contain
    ///   others, such as a batch, need a depth of at least 2.
    /// - Throws: `DamagedBytes`, also if the operation is nested more deeply.
    mutating func operation(depth: Int = 4) throws(DamagedBytes) -> Operation {
        guard depth > 0 else { throw DamagedBytes() }
        switch try byte() {
        case 0: return .push(try target())
        case 1: return .pop
        case 2: return .popTo(try viewController())
        case 3: return .popToScene(try text())
        case 4: return .popToRoot
        case 5:
            return .setViewControllers(
                try array { reader throws(DamagedBytes) in try reader.target() })
        case 6: return .setRootViewController(try target())
        case 7: return .select(row: try signed())
        case 8: return .selectSegment(try signed())
        case 9: return .back
        case 10: return .open(Link(path: try text(), segments: try texts()))
        case 11: return .present(try presentation())
        case 12: return .dismiss(try optionalViewController())
        case 13: return .swipeDown
        case 14: return .selectTab(try signed())
        case 15: return .tapTab(try signed())
        case 16:
            return .segue(
                try text(), parameters: try textsByName(), from: try optionalViewController())
        case 17: return .tap(try tap())
        case 18: return .show(try target())
        case 19: return .unwind(.action(try text()))
        case 20: return .unwind(.viewController(try viewController()))
        case 21:
            let id = NavigationController.ID(number: try number())
            return .on(id, try operation(depth: depth - 1))
        case 22:
            return .batch(
                try array { reader throws(DamagedBytes) in
                    try reader.operation(depth: depth - 1)
                })
        case 23:
            return .update(
                try viewController(), try changes(),
                parameters: try optional { reader throws(DamagedBytes) in
                    try reader.textsByName()
                })
        case 24: return .logIn(username: try text())
        case 25: return .logOut
        default: throw DamagedBytes()
        }
    }

    private mutating func viewController() throws(DamagedBytes) -> ViewController.ID {
        ViewController.ID(number: try number())
    }

    private mutating func optionalViewController() throws(DamagedBytes) -> ViewController.ID? {
        try optional { reader throws(DamagedBytes) in try reader.viewController() }
    }

    private mutating func target() throws(DamagedBytes) -> Target {
        switch try byte() {
        case 0: .scene(try text(), parameters: try textsByName())
        case 1: .instance(try viewController())
        default: throw DamagedBytes()
        }
    }

    private mutating func presentation() throws(DamagedBytes) -> Presentation {
        Presentation(
            scene: try text(), parameters: try textsByName(),
            style: try optional { reader throws(DamagedBytes) in try reader.choice() },
            isModalInPresentation: try optional { reader throws(DamagedBytes) in
                try reader.flag()
            },
            from: try optionalViewController())
    }

    private mutating func tap() throws(DamagedBytes) -> TapTarget {
        switch try byte() {
        case 0:
            .title(
                try text(), in: try optional { reader throws(DamagedBytes) in try reader.choice() })
        case 1: .index(try signed(), in: try choice())
        default: throw DamagedBytes()
        }
    }
}
