/// Returns the values of `start`, and all values to which `next` leads from them, directly or
/// indirectly.
/// - Parameter next: returns the values to which one value leads.
@inlinable
package func closure<Value: Hashable>(
    of start: some Sequence<Value>, _ next: (Value) -> [Value]
) -> Set<Value> {
    var found: Set<Value> = []
    var waiting = Array(start)
    while let value = waiting.popLast() {
        if found.insert(value).inserted { waiting += next(value) }
    }
    return found
}
