import JSON
import NavigationRules

/// Methods that write tab bars and layers. A layer is the root content of a window or a modal
/// presentation.
extension JSONWriter {
    /// The maximum size of a JSON text from its start to the end of the member `layers`, in bytes.
    /// If the layers would make it larger, they are omitted.
    private static let largestWithLayers = 1 << 20

    /// Writes the member `layers` of a session: all layers of the window (the root content and the
    /// modal presentations), or null for a window with only one navigation controller and without
    /// tabs, whose stack is in the member `viewControllers`. If the layers would make the JSON too
    /// large, `layers` is null and the member `layersOmitted` is true.
    mutating func layers(of window: Window) {
        name("layers")
        guard !window.isSingleStack else { return null() }
        var layers = JSONWriter()
        layers.layers(window.layers)
        if size + layers.size <= Self.largestWithLayers {
            element(layers.bytes)
        } else {
            null()
            member("layersOmitted", true)
        }
    }

    mutating func layers(_ layers: some Sequence<Layer>) {
        objects(layers) { json, layer in
            json.member("presentationStyle", layer.presentationStyle?.rawValue)
            json.member("presentingViewController", "vc", layer.presentingViewController?.number)
            json.member("isModalInPresentation", layer.isModalInPresentation)
            json.name("tabBar")
            json.tabBar(layer.tabBar)
            json.objects("navigationControllers", layer.navigationControllers) { json, holder in
                json.member("id", "nc", holder.id.number)
                json.member("isBare", holder.isBare)
                json.name("viewControllers")
                json.viewControllers(holder.stack.viewControllers)
            }
        }
    }

    mutating func tabBar(_ tabBar: TabBar?) {
        guard let tabBar else { return null() }
        object { json in
            json.member("selectedIndex", tabBar.selectedIndex)
            json.member("isHidden", tabBar.isHidden)
            json.objects("items", tabBar.items) { json, item in
                json.member("title", item.title)
                json.member("badge", item.badge)
            }
        }
    }
}
