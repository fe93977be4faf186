// A layered drawing of the storyboard, computed once.

export const NODE = { width: 132, height: 38 };
const GAP = { x: 62, y: 22 };

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
  const add = (from, to, kind, label) => contents(to).forEach((target) => {
    if (from !== target) edges.set(`${from} ${target} ${kind}`, { from, to: target, kind, label });
  });
  for (const [name, scene] of Object.entries(scenes)) {
    if (scene.kind === "navigation" || scene.kind === "tabBar") continue;
    if (typeof scene.select === "string") add(name, scene.select, "select", "row");
    for (const segue of scene.segues) {
      if (segue.kind === "unwind") {
        for (const [other, target] of Object.entries(scenes)) {
          if (target.unwindActions.includes(segue.action)) add(name, other, "unwind", segue.identifier);
        }
      } else if (segue.scene) add(name, segue.scene, segue.kind === "present" ? "present" : "segue", segue.identifier);
    }
    if (scene.parent) add(scene.parent, name, "parent", "link");
  }
  const roots = storyboard.segments.length ? storyboard.segments.map((segment) => segment.scene) : [storyboard.initialScene];
  const starts = roots.flatMap(contents);
  const login = storyboard.loginScene ? contents(storyboard.loginScene) : [];
  login.forEach((from) => starts.slice(0, 1).forEach((to) => add(from, to, "wall", "log-in")));
  const isGroup = storyboard.segments.length > 0;
  starts.slice(1).forEach((to, index) => add(starts[index], to, "segment", isGroup ? "segment" : "tab"));
  // A link that goes the way of a row or a segue adds nothing.
  for (const [key, edge] of edges) {
    if (edge.kind === "parent" && ["select", "segue"].some((kind) => edges.has(`${edge.from} ${edge.to} ${kind}`))) edges.delete(key);
  }
  const names = Object.keys(scenes).filter((name) => contents(name)[0] === name);
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
  const columns = [];
  names.forEach((name) => (columns[rank.get(name)] ??= []).push(name));
  const layers = columns.filter(Boolean);
  // Each scene stands near those that lead to it.
  for (let round = 0; round < 4; round += 1) {
    for (let index = 1; index < layers.length; index += 1) {
      const above = layers[index - 1];
      const weight = new Map(layers[index].map((name, order) => {
        const places = forward.filter((edge) => edge.to === name && above.includes(edge.from)).map((edge) => above.indexOf(edge.from));
        return [name, places.length ? places.reduce((sum, one) => sum + one, 0) / places.length : order];
      }));
      layers[index].sort((one, other) => weight.get(one) - weight.get(other));
    }
  }
  const nodes = new Map();
  layers.forEach((layer, x) => layer.forEach((name, y) => nodes.set(name, {
    name, x: 10 + x * (NODE.width + GAP.x), y: 26 + y * (NODE.height + GAP.y),
  })));
  const tallest = Math.max(...layers.map((layer) => layer.length), 1);
  return {
    nodes, edges, width: 20 + layers.length * (NODE.width + GAP.x) - GAP.x, height: 40 + tallest * (NODE.height + GAP.y),
  };
}

/** The path of an edge between two nodes. */
export function curve(from, to) {
  if (to.x > from.x) {
    const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x, to.y + NODE.height / 2];
    const bend = Math.max(24, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  if (to.x === from.x) {
    const down = to.y > from.y;
    const x = from.x + NODE.width;
    const [y1, y2] = [from.y + NODE.height * (down ? 0.75 : 0.25), to.y + NODE.height * (down ? 0.25 : 0.75)];
    return `M${x} ${y1}C${x + 34} ${y1} ${x + 34} ${y2} ${x} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + NODE.width / 2, from.y, to.x + NODE.width / 2, to.y];
  const top = Math.min(y1, y2) - 24;
  return `M${x1} ${y1}C${x1} ${top} ${x2} ${top} ${x2} ${y2}`;
}
