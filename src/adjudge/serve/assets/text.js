// A text with marks. Offsets are those of the raw text in characters, as Python counts them; ends are not included.
// Only the lines that lose or get a mark are made anew.

import { el, fill } from "./dom.js";

export class MarkedText {
  constructor(parent, { text, hide = [], quote = [], tag = [] }) {
    this.letters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
    this.hide = hide;
    this.always = [["quoted", quote], ["tag", tag]].flatMap(([name, spans]) => spans.map(([from, to]) => [from, to, name]));
    this.now = [];
    this.places = new WeakMap();  // of text nodes: where they begin
    this.lines = [];
    let from = 0;
    const ends = [];
    for (let at = 0; at < this.letters.length; at++) if (this.letters[at] === "\n") ends.push(at + 1);
    if (ends.at(-1) !== this.letters.length) ends.push(this.letters.length);
    for (const to of ends) {
      if (this.shown(from, to).some(([a, b]) => this.slice(a, b).trim())) this.lines.push({ from, to, element: el("p") });
      from = to;
    }
    fill(parent, this.lines.map((line) => { this.draw(line); return line.element; }));
  }

  slice(from, to) {
    const found = this.letters.slice(from, to);
    return typeof found === "string" ? found : found.join("");
  }

  // The parts of a stretch that are not hidden.
  shown(from, to) {
    const parts = [];
    for (const [a, b] of this.hide) {
      if (b <= from || a >= to) continue;
      if (a > from) parts.push([from, a]);
      from = Math.max(from, b);
    }
    if (from < to) parts.push([from, to]);
    return parts;
  }

  // Show these marks, {name: [[from, to], ...]}, and no others; the first line that has one comes into view.
  mark(marks, scroll = true) {
    const before = this.now;
    this.now = Object.entries(marks).flatMap(([name, spans]) => spans.map(([from, to]) => [from, to, name]));
    let first = null;
    for (const line of this.lines) {
      const touches = ([from, to]) => from < line.to && to > line.from;
      const has = this.now.some(touches);
      if (has) first ??= line.element;
      if (has || before.some(touches)) this.draw(line);
    }
    if (scroll && first) (first.querySelector("mark") ?? first).scrollIntoView({ block: "nearest" });
  }

  // What is selected, as [from, to]; null if that is nothing, or not in this text.
  selected() {
    const range = getSelection().rangeCount ? getSelection().getRangeAt(0) : null;
    if (!range || range.collapsed) return null;
    const length = (node, offset) => Array.from(node.data.slice(0, offset)).length;
    let found = null;
    for (const line of this.lines) {
      const walker = document.createTreeWalker(line.element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode, start = this.places.get(node);
        if (!range.intersectsNode(node)) continue;
        const from = start + (node === range.startContainer ? length(node, range.startOffset) : 0);
        const to = start + length(node, node === range.endContainer ? range.endOffset : undefined);
        if (from < to) found = [found ? found[0] : from, to];
      }
    }
    return found;
  }

  draw(line) {
    const all = [...this.always, ...this.now].filter(([from, to]) => from < line.to && to > line.from);
    const parts = this.shown(line.from, line.to).flatMap(([from, to]) => {
      const cuts = [...new Set([from, to, ...all.flatMap(([a, b]) => [a, b])])].filter((each) => each >= from && each <= to).sort((a, b) => a - b);
      return cuts.slice(1).map((end, at) => {
        const names = all.filter(([a, b]) => a < end && b > cuts[at]).map((each) => each[2]);
        const text = document.createTextNode(this.slice(cuts[at], end));
        this.places.set(text, cuts[at]);
        return names.length ? el(names.some((each) => each !== "quoted" && each !== "tag") ? "mark" : "span", { class: [...new Set(names)].join(" ") }, text) : text;
      });
    });
    fill(line.element, parts);
  }
}
