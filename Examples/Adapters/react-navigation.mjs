/**
 * Records the screens of an app with React Navigation as a trace for `waypost verify`.
 *
 *   const ref = createNavigationContainerRef();
 *   <NavigationContainer ref={ref} onReady={() => recordTrace(ref, "Shop", write)}>
 *
 * `write` appends a line to a file. The names of the routes are those of the scenes, or `scenes` maps them.
 */
export function recordTrace(ref, app, write, scenes = {}) {
  const line = (value) => write(`${JSON.stringify(value)}\n`);
  const step = () => line({ stack: visibleStack(ref.getRootState()) });
  line({ waypostTrace: 1, app, callbacks: [], scenes });
  step();
  return ref.addListener("state", step);
}

/** The routes of the innermost stack that shows the focused route. */
function visibleStack(state) {
  let stack = [];
  for (let each = state; each; each = each.routes[each.index ?? 0].state) {
    const routes = each.routes.slice(0, (each.index ?? 0) + 1);
    if (each.type === "stack") stack = routes.map((route) => ({ scene: route.name }));
  }
  return stack;
}
