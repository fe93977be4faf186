// A layered drawing of the storyboard, computed once.

export const NODE = { width: 132, height: 38 };
const GAP = 62;
const LABEL = 22;

/** Returns `{nodes, edges}` of a storyboard: containers stand for their contents. */
export function graphOf(storyboard) {
  const scenes = storyboard.scenes;
  const contents = (name) => {
    const scene = scenes[name];
    if (!scene) return [];
    if (scene.kind === "navigation") return scene.root ? contents(scene.root) : [];
    if (scene.kind === "tabBar") return scene.tabs.flatMap((tab) => contents(tab.scene));
    return [name];
  };
  const edges = new Map();
  const add = (from, to, kind) => contents(to).forEach((target) => {
    if (from !== target) edges.set(`${from} ${target} ${kind}`, { from, to: target, kind });
  });
  for (const [name, scene] of Object.entries(scenes)) {
    if (scene.kind === "navigation" || scene.kind === "tabBar") continue;
    if (typeof scene.select === "string") add(name, scene.select, "select");
    for (const segue of scene.segues) {
      if (segue.kind === "unwind") {
        for (const [other, target] of Object.entries(scenes)) {
          if (target.unwindActions.includes(segue.action)) add(name, other, "unwind");
        }
      } else if (segue.scene) add(name, segue.scene, segue.kind === "present" ? "present" : "segue");
    }
    if (scene.parent) add(scene.parent, name, "parent");
  }
  const roots = storyboard.segments.length ? storyboard.segments.map((segment) => segment.scene) : [storyboard.initialScene];
  const starts = roots.flatMap(contents);
  // A guest meets the log-in in front of the app, not before it.
  const login = storyboard.loginScene && !storyboard.guests ? contents(storyboard.loginScene) : [];
  login.forEach((from) => starts.slice(0, 1).forEach((to) => add(from, to, "wall")));
  starts.slice(1).forEach((to, index) => add(starts[index], to, "segment"));
  // A link that goes the way of a row or a segue adds nothing.
  for (const [key, edge] of edges) {
    if (edge.kind === "parent" && ["select", "segue"].some((kind) => edges.has(`${edge.from} ${edge.to} ${kind}`))) edges.delete(key);
  }
  const names = [...new Set([...login, ...starts, ...Object.keys(scenes).filter((name) => contents(name)[0] === name)])];
  return place(names, [...edges.values()], login, starts);
}

function place(names, edges, login, starts) {
  const rank = new Map();
  const forward = edges.filter((edge) => edge.kind !== "segment" && edge.kind !== "unwind");
  // The longest path without cycles: an edge back to a scene on the path is left out.
  const visit = (name, depth, path) => {
    if (path.has(name) || (rank.get(name) ?? -1) >= depth) return;
    rank.set(name, depth);
    path.add(name);
    for (const edge of forward) if (edge.from === name) visit(edge.to, depth + 1, path);
    path.delete(name);
  };
  login.forEach((name) => visit(name, 0, new Set()));
  starts.forEach((name) => visit(name, login.length ? 1 : 0, new Set()));
  names.forEach((name) => { if (!rank.has(name)) visit(name, 0, new Set()); });
  const nodes = new Map(names.map((name) => [name, { name, before: [] }]));
  const columns = [];
  names.forEach((name) => (columns[rank.get(name)] ??= []).push(nodes.get(name)));
  const layers = columns.filter(Boolean);
  layers.forEach((layer, column) => layer.forEach((node) => { node.column = column; }));
  // In each column that an edge crosses, it has a place of its own between the boxes.
  for (const edge of edges) {
    const ends = [nodes.get(edge.from), nodes.get(edge.to)];
    const [first, last] = ends.toSorted((one, other) => one.column - other.column);
    edge.stops = [first];
    for (let column = first.column + 1; column <= last.column; column += 1) {
      const stop = column < last.column ? { before: [] } : last;
      if (stop !== last) layers[column].push(stop);
      stop.before.push(edge.stops.at(-1));
      edge.stops.push(stop);
    }
    if (first.column === last.column) edge.stops = ends;
    else if (first !== ends[0]) edge.stops.reverse();
  }
  let height = 0;
  layers.forEach((layer, column) => {
    // Each scene stands near those that lead to it.
    for (const item of layer) item.middle = item.before.reduce((sum, { middle }) => sum + middle / item.before.length, 0);
    layer.sort((one, other) => one.middle - other.middle);
    let end = 0;
    for (const item of layer) {
      const half = item.name ? NODE.height / 2 : 5;
      // The words of a scene stand above its box.
      item.middle = Math.max(item.middle, end + half + (item.name ? LABEL : 5));
      end = item.middle + half;
      Object.assign(item, { x: 10 + column * (NODE.width + GAP), y: item.middle - half });
    }
    height = Math.max(height, end);
  });
  return { nodes, edges, width: 20 + layers.length * (NODE.width + GAP) - GAP, height: height + 10 };
}

/** The path of an edge around the boxes. */
export function path({ stops }) {
  const [from, to] = stops;
  const { width, height } = NODE;
  if (from.x === to.x) {
    const [x, shift] = [from.x + width, Math.sign(to.y - from.y) * height / 4];
    return `M${x} ${from.middle + shift}C${x + 34} ${from.middle + shift} ${x + 34} ${to.middle - shift} ${x} ${to.middle - shift}`;
  }
  const isForward = from.x < to.x;
  // The ways to and fro are apart.
  const y = ({ name, middle }) => middle + (name ? (isForward ? -4 : 9) : 0);
  return stops.slice(1).reduce((line, stop, index) => {
    const before = stops[index];
    const [x1, x2] = [before.x + (isForward ? width : 0), stop.x + (isForward ? 0 : width)];
    const middle = (x1 + x2) / 2;
    return `${line}H${x1}C${middle} ${y(before)} ${middle} ${y(stop)} ${x2} ${y(stop)}`;
  }, `M${from.x + width / 2} ${y(from)}`);
}
