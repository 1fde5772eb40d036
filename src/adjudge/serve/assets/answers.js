// The interpreter of schemas, as adjudge.serve.answers has it in Python; tests/serve/interpreter.json has cases for both.
// It reads the schema of the scope and knows none.

export function holds(condition, fields, values, above) {
  const look = (name) =>
    name.startsWith("parent.") ? above[name.slice(7)] : name.startsWith("item.") ? fields[name.slice(5)] : values[name];
  const entry = ([name, allowed]) =>
    name.endsWith("==") ? allowed.some((each) => look(each) === look(name.slice(0, -2))) : allowed.includes(look(name));
  return condition.some((table) => Object.entries(table).every(entry));
}

// What answers mean: {values, nil, open, complete}.
export function interpret(schema, fields, answers, { above = {}, carried = {} } = {}) {
  const questions = schema.questions;
  const evaluate = (rest) => {
    const known = new Map();
    const isNil = (question) => {
      if (!known.has(question.id)) {
        const condition = conditionOf(schema, question.nil);
        const values = {};
        for (const name of namesIn(condition)) {
          const other = questions.find((each) => each.id === name);
          if (other) values[name] = value(other) ?? (isNil(other) ? schema.nil_value ?? "" : null);
        }
        known.set(question.id, holds(condition, fields, values, above));
      }
      return known.get(question.id);
    };
    const value = (question) => {
      if (isNil(question)) return question.nil_value ?? null;
      if (question.id in answers) return answers[question.id];
      return rest ? carried[question.id] ?? question.implied ?? null : null;
    };
    return { isNil, value };
  };
  const first = evaluate(false);
  const asked = questions.filter((each) => !first.isNil(each));
  let finished;
  if (questions.some((each) => each.finishes)) {
    const closing = asked.filter((each) => each.finishes);
    finished = !closing.length || closing.some((each) => each.id in answers);
  } else {
    const rests = (each) => (each.implied ?? null) !== null || each.id in carried;
    finished = asked.some((each) => each.id in answers) && asked.every((each) => each.id in answers || rests(each));
  }
  const last = evaluate(finished);
  const values = {}, nil = [], open = [];
  for (const each of questions) {
    const value = last.value(each);
    if (value !== null) values[each.id] = value;
    if (last.isNil(each)) nil.push(each.id);
    else if (value === null) open.push(each.id);
  }
  return { values, nil, open, complete: !open.length };
}

const conditionOf = (schema, given) => (typeof given === "string" ? schema.when[given] ?? [] : given ?? []);

function namesIn(condition) {
  return condition.flatMap((table) => Object.entries(table).flatMap(([name, allowed]) => (name.endsWith("==") ? [name.slice(0, -2), ...allowed] : [name])));
}

// The answers of one reader in a scope, in the order in which they were given; `items` have id, fields, parent.
export class Reading {
  constructor(schema, items) {
    this.schema = schema;
    this.items = new Map(items.map((each) => [each.id, each]));
    this.answers = new Map();
    this.carrying = schema.questions.filter((each) => each.carry?.length);
    this.complete = new Set();
    this.last = new Map();  // question and fields: a map of items to answers, the last one last
    this.memory = new Map();
  }

  // What of an item is compared, as a text.
  shared(id, names) {
    const place = `${names.join()} ${id}`;
    if (!this.memory.has(place)) {
      const { fields } = this.items.get(id);
      this.memory.set(place, JSON.stringify(names.map((name) => fields[name] ?? null)));
    }
    return this.memory.get(place);
  }

  equal(id, question) {
    const place = `${question.id} ${this.shared(id, question.carry)}`;
    if (!this.last.has(place)) this.last.set(place, new Map());
    return this.last.get(place);
  }

  // Take in an answer, which replaces the one before.
  answer(id, answers) {
    const given = Object.keys(answers).length > 0;
    this.answers.delete(id);
    if (given) this.answers.set(id, { ...answers });
    for (const question of this.carrying) {
      this.equal(id, question).delete(id);
      if (question.id in answers) this.equal(id, question).set(id, answers[question.id]);
    }
    const state = this.state(id);
    this.complete.delete(id);
    if (state.complete && given) {
      this.complete.add(id);
      const settled = Object.fromEntries(Object.entries(state.values).filter(([name]) => !state.nil.includes(name)));
      this.answers.set(id, settled);
      for (const question of this.carrying) if (question.id in settled) this.equal(id, question).set(id, settled[question.id]);
    }
    return state;
  }

  // Whether nothing is left to ask; what was open when it was answered stays so, whatever could be carried now.
  isComplete(id) {
    return this.complete.has(id) || (this.items.has(this.items.get(id).parent) && !this.answers.has(id) && this.state(id).complete);
  }

  state(id) {
    return interpret(this.schema, this.items.get(id).fields, this.answers.get(id) ?? {}, this.around(id));
  }

  around(id) {
    const item = this.items.get(id);
    const above = this.items.has(item.parent) ? this.state(item.parent).values : {};
    const carried = {};
    for (const question of this.carrying) {
      const others = [...this.equal(id, question)].filter(([other]) => other !== id);
      if (others.length) carried[question.id] = others.at(-1)[1];
    }
    return { above, carried };
  }

  // The classes that an item may join, as [name, what it is shown by].
  classes(id, question) {
    const here = this.room(id, question);
    const found = new Map();
    for (const [other, answers] of this.answers) {
      if (question.id in answers && !found.has(answers[question.id]) && this.room(other, question) === here) {
        found.set(answers[question.id], String(this.items.get(other).fields[question.show] ?? ""));
      }
    }
    return [...found].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  }

  room(id, question) {
    const item = this.items.get(id);
    const above = this.answers.get(item.parent)?.[question.id];
    if (this.items.has(item.parent) && above !== undefined) return JSON.stringify([this.room(item.parent, question), above]);
    return this.shared(id, question.within ?? []);
  }

  // The keys of a question for an item now: [[key, value, label], ...].
  choices(id, question) {
    const words = this.schema.words ?? {};
    const found = Object.entries(question.keys ?? {}).map(([key, value]) => [key, value, words[value] ?? value.toLowerCase()]);
    if (question.kind !== "class" || !question.new_key) return found;
    const known = this.classes(id, question);
    const fresh = String(Math.max(0, ...known.map(([name]) => Number(name) || 0)) + 1);
    return [...found, ...known.slice(0, 9).map(([name, label], at) => [String(at + 1), name, label]), [question.new_key, fresh, "a new one"]];
  }

  // The answers to an item after a key; null if the key says nothing here. A key that says it again takes it back.
  pressed(id, key) {
    const state = this.state(id);
    const answers = { ...this.answers.get(id) };
    for (const question of this.schema.questions) {
      if (state.nil.includes(question.id)) continue;
      const chosen = this.choices(id, question).find(([each]) => each === key);
      if (!chosen) continue;
      if ((question.implied ?? null) !== null && answers[question.id] === chosen[1]) delete answers[question.id];
      else answers[question.id] = chosen[1];
      return answers;
    }
    return null;
  }

  // The open items of which the same can be said as of this one, by one key.
  likewise(id) {
    const answers = this.answers.get(id) ?? {};
    const questions = this.schema.questions.filter((each) => each.id in answers);
    if (!questions.length || !this.isComplete(id) || !questions.every((each) => each.same?.length)) return [];
    const names = [...new Set(questions.flatMap((each) => each.same))];
    const mine = this.shared(id, names);
    return [...this.items.keys()].filter((other) => other !== id && this.shared(other, names) === mine && !this.isComplete(other));
  }
}
