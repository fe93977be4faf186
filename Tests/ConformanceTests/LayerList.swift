import JSON

/// The layers of a session as `GET …/layers` lists them, and the facts that follow from them.
struct LayerList: Equatable {
    struct Holder: Equatable {
        let id: String
        let isBare: Bool
        let viewControllers: [JSONValue]

        /// The ids of the stack, root first.
        var ids: [String] { viewControllers.compactMap { $0["id"]?.text } }
        var top: String { ids.last ?? "" }
    }

    struct Layer: Equatable {
        let style: String?
        let presenter: String?
        let isModal: Bool
        let hasTabBar: Bool
        let selectedIndex: Int
        let holders: [Holder]

        /// The same for as long as the layer exists.
        var id: String { holders.first?.id ?? "" }
        var selected: Holder { holders[selectedIndex] }
        var coversLayerBelow: Bool { style == "fullScreen" || style == "currentContext" }
    }

    let layers: [Layer]
    let holders: [Holder]

    /// - Returns: nil if the value is not a list of layers with at least one holder in each.
    init?(_ json: JSONValue?) {
        guard let elements = json?.elements else { return nil }
        layers = elements.compactMap(Layer.init)
        holders = layers.flatMap(\.holders)
        guard layers.count == elements.count, !layers.isEmpty else { return nil }
    }

    var active: Holder { layers[layers.count - 1].selected }
    var visible: String { active.top }
    var viewControllers: [JSONValue] { holders.flatMap(\.viewControllers) }
    var ids: [String] { holders.flatMap(\.ids) }
    /// The ids of the view controllers that are in no navigation controller.
    var bare: Set<String> { Set(holders.filter(\.isBare).flatMap(\.ids)) }

    /// The view controllers on screen: a layer is off screen where the one directly above covers it.
    var onScreen: Set<String> {
        Set(
            layers.indices
                .filter { $0 + 1 == layers.count || !layers[$0 + 1].coversLayerBelow }
                .map { layers[$0].selected.top })
    }

    /// The first rule that the list itself breaks; nil if there is none.
    var defect: String? {
        if Set(ids).count != ids.count { return "an instance is in two places" }
        if Set(holders.map(\.id)).count != holders.count { return "two holders share an id" }
        for holder in holders {
            if holder.ids.isEmpty { return "\(holder.id) is empty" }
            if holder.isBare, holder.ids.count != 1 { return "\(holder.id) is bare and a stack" }
        }
        for (index, layer) in layers.enumerated() {
            if (layer.style == nil) != (index == 0) { return "layer \(index) has another style" }
            if !layer.hasTabBar, layer.holders.count != 1 { return "layer \(index) has no tabs" }
            guard let presenter = layer.presenter else { continue }
            if index == 0
                || !layers[index - 1].holders.contains(where: { $0.ids.contains(presenter) })
            {
                return "\(presenter) presents layer \(index) from elsewhere"
            }
        }
        return nil
    }

    /// The ids that `other` does not have, in the order of `popped`.
    func ids(missingFrom other: LayerList) -> [String] {
        let staying = Set(other.ids)
        return ids.filter { !staying.contains($0) }
    }

    /// The transition that leads from `old` to these layers.
    func transition(from old: LayerList, isNewRoot: Bool) -> String {
        if isNewRoot { return "root" }
        if visible == old.visible { return "none" }
        guard let index = old.layers.firstIndex(where: { $0.id == layers.last?.id }) else {
            return "present"
        }
        if index < old.layers.count - 1 { return "dismiss" }
        if old.active.id != active.id { return "tab" }
        return old.active.ids.contains(visible) ? "pop" : "push"
    }
}

extension LayerList.Layer {
    fileprivate init?(_ json: JSONValue) {
        guard let elements = json["navigationControllers"]?.elements, !elements.isEmpty,
            let isModal = json["isModalInPresentation"]?.flag, let tabBar = json["tabBar"]
        else { return nil }
        style = json["presentationStyle"]?.text
        presenter = json["presentingViewController"]?.text
        self.isModal = isModal
        hasTabBar = tabBar != .null
        selectedIndex = tabBar["selectedIndex"]?.number ?? 0
        holders = elements.compactMap { holder in
            guard let id = holder["id"]?.text, let isBare = holder["isBare"]?.flag,
                let viewControllers = holder["viewControllers"]?.elements
            else { return nil }
            return LayerList.Holder(id: id, isBare: isBare, viewControllers: viewControllers)
        }
        guard holders.count == elements.count, holders.indices.contains(selectedIndex) else {
            return nil
        }
    }
}
