// Just the parts of a browser that the page of event arguments uses. Standard input has the data, the legends, the
// address and what somebody does; what can be seen after each step is printed.
class Node {
  constructor(name) {
    const empty = { children: [], attributes: {}, listeners: {}, style: {}, dataset: {}, hidden: false };
    Object.assign(this, { name, parentElement: null, ...empty });
  }
  get classes() { return (this.attributes.class || "").split(" "); }
  get classList() {
    const change = (names) => this.setAttribute("class", names.join(" "));
    return {
      add: (name) => change([...this.classes, name]),
      remove: (...names) => change(this.classes.filter((each) => !names.includes(each))),
    };
  }
  append(...these) {
    for (const each of these) {
      if (each instanceof Node) each.parentElement = this;
      this.children.push(each);
    }
  }
  replaceChildren(...these) {
    this.children = [];
    this.append(...these);
  }
  setAttribute(key, value) {
    this.attributes[key] = String(value);
    if (key.startsWith("data-")) this.dataset[key.slice(5)] = String(value);
  }
  getAttribute(key) { return this.attributes[key] ?? null; }
  addEventListener(name, listener) { (this.listeners[name] = this.listeners[name] || []).push(listener); }
  fire(name) {
    const event = { target: this, preventDefault() {}, stopPropagation() {} };
    for (const each of this.listeners[name] || []) each(event);
  }
  *walk() {
    for (const each of this.children) {
      if (!(each instanceof Node)) continue;
      yield each;
      yield* each.walk();
    }
  }
  querySelectorAll(what) {
    const fits = (each) => (what[0] === "." ? each.classes.includes(what.slice(1)) : each.name === what);
    return [...this.walk()].filter(fits);
  }
  querySelector(what) { return this.querySelectorAll(what)[0] || null; }
  get textContent() { return this.children.map((each) => (each instanceof Node ? each.textContent : String(each))).join(""); }
  set textContent(value) { this.children = [String(value)]; }
  get value() { return this.given ?? ""; }
  set value(value) { this.given = String(value); }
  scrollIntoView() {}
  blur() {}
  focus() {}
  showModal() {}
  closest() { return null; }
  getBoundingClientRect() { return { top: 0, bottom: 0 }; }
}

const [island, legends, hash, steps, script] = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const root = new Node("body");
const IDS = "legend pairs system other type role reason reasons search order errors spans help list found all document tools panes main";
for (const id of IDS.split(" ")) {
  const made = new Node("div");
  made.setAttribute("id", id);
  root.append(made);
}
const find = (id) => [...root.walk()].find((each) => each.attributes.id === id) || null;
for (const [id, keys] of Object.entries(legends)) {
  for (const key of keys) {
    const [label, input, count] = ["label", "input", "output"].map((name) => new Node(name));
    Object.assign(input, { value: key, checked: true });
    count.setAttribute("class", "count");
    label.append(input, count);
    find(id).append(label);
  }
}
const listeners = {};
const listen = (name, listener) => { listeners[name] = listener; };
globalThis.document = {
  documentElement: new Node("html"),
  body: root,
  activeElement: null,
  getElementById: (id) => (id === "data" ? { textContent: island } : find(id)),
  createElement: (name) => new Node(name),
  createElementNS: (_, name) => new Node(name),
  querySelectorAll: (what) => {
    if (what === ".legend") return [find("legend"), find("pairs")];
    const [, id, inner] = /^(?:#([a-z]+)|\.legend) (input)$/.exec(what) || [];
    return inner ? (id ? [id] : ["legend", "pairs"]).flatMap((each) => find(each).querySelectorAll(inner)) : [];
  },
  addEventListener: listen,
};
globalThis.Node = Node;
globalThis.location = { hash };
globalThis.history = { replaceState: (_, __, to) => { globalThis.location.hash = to; } };
globalThis.window = { addEventListener: listen };
(0, eval)(script);

const seen = [];
function look() {
  const text = find("text");
  const about = find("about");
  const drawn = (name) => (text ? text.querySelectorAll(name).map((each) => [each.attributes.class, each.textContent]) : []);
  const counts = (id) => Object.fromEntries(find(id).querySelectorAll("label").map((each) => [each.children[0].value, Number(each.children[1].textContent || -1)]));
  seen.push({
    hash: location.hash,
    text: find("document").textContent,
    list: find("list").children.map((each) => each.textContent),
    rows: find("document").querySelectorAll("tr").filter((each) => each.attributes.tabindex === "0").length,
    legend: counts("legend"),
    pairs: counts("pairs"),
    marks: drawn("mark"),
    spans: drawn("span"),
    whole: text ? text.textContent : null,
    about: about && !about.hidden ? about.textContent : null,
  });
}
look();
for (const [what, one, other] of steps) {
  if (what === "key") listeners.keydown({ key: one, target: root, preventDefault() {} });
  if (what === "go") {
    location.hash = one;
    listeners.hashchange();
  }
  if (what === "choose") {
    find(one).value = other;
    find(one).fire("change");
  }
  if (what === "uncheck") {
    find(one).querySelectorAll("input").find((each) => each.value === other).checked = false;
    find(one).fire("change");
  }
  look();
}
console.log(JSON.stringify(seen));
