// Plays the states of an app with React Navigation, and prints the trace that its adapter records.   adapter.mjs ROUTES…
// Each argument is a state: the routes of a stack in a tab, separated by commas.
import { recordTrace } from "../../Examples/Adapters/react-navigation.mjs";

const states = process.argv.slice(2).map((routes) => routes.split(",")).map((names) => ({
  type: "tab", index: 1, routes: [{ name: "Other" }, {
    name: "Main", state: { type: "stack", index: names.length - 1, routes: names.map((name) => ({ name })) },
  }],
}));
let [state] = states;
const listeners = [];
recordTrace({ getRootState: () => state, addListener: (_, listener) => listeners.push(listener) },
  "RecipeBox", (line) => process.stdout.write(line), { Courses: "courses" });
for (state of states.slice(1)) listeners.forEach((listener) => listener());
