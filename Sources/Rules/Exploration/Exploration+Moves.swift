import NavigationRules

/// The parts of an exploration.
extension Exploration {
    /// A head that has been reached, on the shortest way that was found.
    struct Visit {
        /// The head before; nil at the launch.
        let parent: Int32?
        let action: Action?
        /// The number of actions since the launch.
        let distance: Int
        /// All actions since the launch if they do not follow from `parent`.
        var path: [Action] = []
    }

    /// An action that one head offers.
    struct Move {
        enum Kind: UInt8 {
            /// Shows `target` on top of the same stack, in a new layer, or on another stack of the
            /// same layer.
            case push, present, replace
            /// Presents several heads at once; `detail` is an index in `Exploration.chains`.
            case chain
            case back, swipe, popToRoot
            /// Unwinds; `detail` is an index in `Exploration.unwindActions`.
            case unwind
        }

        let kind: Kind
        let action: Action
        let isGesture: Bool
        var target: Int32 = -1
        var detail: Int32 = -1
        /// The actions after `action` that belong to the move.
        var rest: [Action] = []

        var actions: [Action] { [action] + rest }
    }

    /// A window whose heads do not depend on the window before the action: after a log-in or
    /// log-out, a link, or an unwinding that shows a tab for the first time.
    struct Jump {
        /// The actions since the launch.
        let path: [Action]
        /// The heads of the window from the lowest one up.
        let letters: [Int32]
    }

    /// An action that was performed on the first window with a head.
    struct Use {
        let source: Int32
        let action: Action
        /// The actions from the launch to the window, if it is not the first one with the head.
        var path: [Action]?
    }

    struct Refusal {
        let use: Use
        let scene: Scene
        let error: NavigationError
    }

    /// The actions that lead to a window in which a user is stuck.
    typealias DeadEnd = (path: [Action], isShortest: Bool)
}

extension NavigationError {
    /// Whether a limit of the window is the reason, which is no defect of the app.
    var isLimit: Bool {
        switch self {
        case .tooManyLayers, .stackTooDeep, .tooManyViewControllers, .sessionTooLarge: true
        default: false
        }
    }
}

/// The first uses of the parts of an app.
extension Exploration {
    mutating func noteUse(_ use: Use, ofSegue key: String) {
        if firstOfSegue[key] == nil { firstOfSegue[key] = use }
    }

    /// Notes the selection of a row in a scene whose rows show a scene.
    mutating func noteSelection(_ use: Use, in scene: Scene) {
        if use.action.isRow, scene.select != nil, firstOfSelect[scene.name] == nil {
            firstOfSelect[scene.name] = use
        }
    }

    mutating func noteRefusal(_ use: Use, in scene: Scene, _ key: String, _ error: NavigationError)
    {
        if refusals[key] == nil {
            refusals[key] = Refusal(use: use, scene: scene, error: error)
        }
    }

    /// Notes that a link cannot be shown, unless only a limit of the window prevents it.
    mutating func noteRefusal(_ use: Use, of link: ExplorationLink, _ error: NavigationError) {
        if error.isLimit {
            limitedLinks.insert(link.scene.name)
        } else {
            noteRefusal(use, of: link, "cannot be shown: \(error.code.rawValue)")
        }
    }

    /// Notes that a link cannot be shown, or shows another scene than its own.
    mutating func noteRefusal(_ use: Use, of link: ExplorationLink, _ reason: String) {
        if refusedLinks[link.pattern] == nil { refusedLinks[link.pattern] = (use, link, reason) }
    }

    /// Notes the scene that a link has shown.
    mutating func noteUse(_ use: Use, of link: ExplorationLink, showing scene: Scene) {
        if scene !== link.scene {
            noteRefusal(use, of: link, "shows \(scene.name), not \(link.scene.name)")
        }
        if firstOfLink[link.pattern] == nil { firstOfLink[link.pattern] = use }
    }

    /// Notes the back buttons without a title in all layers of a window.
    mutating func noteBacks(in window: Window, _ use: Use) {
        for layer in window.layers {
            let stack = layer.selected.stack.viewControllers
            for (below, above) in zip(stack, stack.dropFirst()) { noteBack(above, below, use) }
        }
    }
}
