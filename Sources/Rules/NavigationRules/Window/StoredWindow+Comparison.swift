extension StoredWindow {
    /// Returns whether another stored window is the same, apart from what a new storyboard changes
    /// in a window without a change of the session. The storyboard can gain or lose flags, and can
    /// declare the parameters of a scene in another order.
    package func isSame(as other: StoredWindow) -> Bool {
        if self == other { return true }
        guard flags.allSatisfy({ (other.flags[$0] ?? $1) == $1 }) else { return false }
        var (one, other) = (withSortedParameters, other.withSortedParameters)
        one.flags = [:]
        other.flags = [:]
        return one == other
    }

    private var withSortedParameters: StoredWindow {
        var window = self
        window.stack = stack.map(\.withSortedParameters)
        window.layers = layers?.map { layer in
            var layer = layer
            for index in layer.stacks.indices {
                layer.stacks[index].stack = layer.stacks[index].stack
                    .map(\.withSortedParameters)
            }
            return layer
        }
        window.segments = segments.map {
            SegmentRoots(
                selectedIndex: $0.selectedIndex, roots: $0.roots,
                kept: $0.kept.map(\.withSortedParameters))
        }
        return window
    }
}

extension StoredWindow.Entry {
    fileprivate var withSortedParameters: StoredWindow.Entry {
        let pairs = zip(parameters.names, parameters.values).sorted { $0.0 < $1.0 }
        return StoredWindow.Entry(
            number: number, scene: scene,
            parameters: Parameters(names: pairs.map(\.0), values: pairs.map(\.1)),
            isViewLoaded: isViewLoaded, changes: changes)
    }
}
