import JSON
import Navigation

extension JSONWriter {
    /// Writes a storyboard in the form of its file, with every member of a scene.
    mutating func storyboard(_ storyboard: Storyboard) {
        object { json in
            json.member("name", storyboard.name)
            json.member("initialScene", storyboard.initialScene.name)
            json.member("loginScene", storyboard.loginScene?.name)
            json.name("segments")
            json.array(storyboard.segments) { json, segment in
                json.object { json in
                    json.member("title", segment.title)
                    json.member("scene", segment.scene.name)
                }
            }
            json.name("scenes")
            json.object { json in
                for (name, scene) in storyboard.scenes.sorted(by: { $0.key < $1.key }) {
                    json.name(escaping: name)
                    json.scene(scene)
                }
            }
        }
    }

    private mutating func scene(_ scene: Scene) {
        object { json in
            json.member("kind", scene.kind.rawValue)
            json.member("access", scene.access.rawValue)
            json.member("title", scene.title?.source)
            json.member("bottomBar", scene.bottomBar?.source)
            json.member("parameters", scene.parameters)
            json.member("rows", scene.rows)
            json.member("select", scene.select)
            json.member("image", scene.image)
            json.member("submit", scene.submit?.rawValue)
            json.member("path", scene.path?.description)
            json.member("parent", scene.parent)
            json.member("hidesBottomBarWhenPushed", scene.hidesBottomBarWhenPushed)
            json.member("toolbarItems", scene.toolbarItems)
            json.name("navigationItem")
            json.navigationItem(scene.navigationItem)
        }
    }
}
