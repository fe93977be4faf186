import androidx.navigation.NavController
import org.json.JSONArray
import org.json.JSONObject

/**
 * Records the screens of an app with Jetpack Navigation as a trace for `waypost verify`. [write] appends a line to a
 * file. The routes are the names of the scenes, or [scenes] maps them.
 */
fun recordTrace(controller: NavController, app: String, scenes: Map<String, String>, write: (String) -> Unit) {
    fun line(value: JSONObject) = write("$value\n")
    line(JSONObject().put("waypostTrace", 1).put("app", app).put("callbacks", JSONArray()).put("scenes", JSONObject(scenes)))
    // The ids of the entries and their routes, because the back stack has no public list.
    val stack = mutableListOf<Pair<String, String>>()
    controller.addOnDestinationChangedListener { _, destination, _ ->
        val entry = controller.currentBackStackEntry ?: return@addOnDestinationChangedListener
        val below = controller.previousBackStackEntry?.id
        while (stack.isNotEmpty() && stack.last().first != below) stack.removeAt(stack.lastIndex)
        stack.add(entry.id to (destination.route ?: destination.label.toString()))
        line(JSONObject().put("stack", JSONArray(stack.map { JSONObject().put("scene", it.second) })))
    }
}
