/**
 * Small programs whose only faults are those of types: every variable is bound before it is used, every rule and function is
 * there, and nothing calls itself. So a type checker alone decides whether they are taken.
 */

import type { Random } from "../plan/generate/random.ts";

const literals = [
  "0",
  "7",
  '"a"',
  '"b"',
  "true",
  "false",
  "null",
  "[]",
  "{}",
  "set()",
  "[1, 2]",
  '["a"]',
  "{1}",
  '{"a"}',
];
const objects = [
  '{"a": 1}',
  '{"a": "x", "b": [1]}',
  '{"a": {"b": true}}',
  '{1: "a"}',
  '{"r": []}',
  '{"r": [{"d": "x"}]}',
];
const keys = ["a", "b", "r", "d"];
const operators = ["==", "==", "!=", "<", ">="];
/** Builtins by how many operands they take. */
const functions: readonly (readonly [string, number])[] = [
  ["count", 1],
  ["upper", 1],
  ["sum", 1],
  ["max", 1],
  ["sort", 1],
  ["to_number", 1],
  ["object.keys", 1],
  ["type_name", 1],
  ["is_string", 1],
  ["json.marshal", 1],
  ["startswith", 2],
  ["concat", 2],
  ["array.concat", 2],
  ["object.union", 2],
  ["split", 2],
  ["abs", 1],
  ["union", 1],
  ["trim", 2],
  ["numbers.range", 2],
];

interface Names {
  /** In a negation nothing may be gone over. */
  readonly isNegated?: boolean;
  readonly vars: readonly string[];
  readonly rules: readonly string[];
  readonly functions: readonly string[];
}

/**
 * A statement that looks into something by `v`, and goes over `v` in a comprehension: `x[v] == [e | some e in v]`. OPA takes `v`
 * for unsafe there, as if the look-up were to give it its value; we take it for bound, as it is. Types have no part in it.
 */
const ordered = /\[(\w+)\].*some e in \1\b|some e in (\w+)\b.*\[\2\]/;

/** The next program of which only types decide whether it is taken. */
export function typedProgram(random: Random, name: string): string {
  for (;;) {
    const text = anyProgram(random, name);
    if (!ordered.test(text)) return text;
  }
}

function anyProgram(random: Random, name: string): string {
  const rules: string[] = [];
  const own: string[] = [];
  const lines = [`package ${name}`];
  const total = 2 + random.int(4);
  for (let i = 0; i < total; i++) {
    const names = { vars: [], rules, functions: own };
    if (random.int(4) === 0) {
      lines.push(`f${i}(x) := y if {\n${body(random, { ...names, vars: ["x"] })}\n}`);
      own.push(`f${i}`);
    } else {
      lines.push(rule(random, names, `r${i}`));
      rules.push(`r${i}`);
    }
  }
  return `${lines.join("\n\n")}\n`;
}

function rule(random: Random, names: Names, name: string): string {
  const text = body(random, names);
  switch (random.int(10)) {
    case 7:
      return keyed(random, names, name, random.pick([" contains y", " := y", ".d := y"]), text);
    case 8:
      // The types of both definitions are taken together.
      return random.pick([
        `${name} contains y if {\n${text}\n}\n\n${name} contains y if {\n${body(random, names)}\n}`,
        `${name} := y if {\n${text}\n}\n\n${name} := y if {\n${body(random, names)}\n}`,
      ]);
    case 9: {
      const value = random.pick([" contains y", " := y"]);
      return [text, body(random, names)].map((each) => keyed(random, names, name, value, each)).join("\n\n");
    }
    case 5:
      return `${name} := y if {\n${text}\n} else := ${term(random, names, 1)}`;
    case 6:
      return `default ${name} := ${random.pick(literals)}\n\n${name} := y if {\n${text}\n}`;
    case 0:
      return `${name} contains y if {\n${text}\n}`;
    case 1:
      return `${name}[k] := y if {\n\tsome k in ["k", "l"]\n${text}\n}`;
    case 2:
      return `${name} := ${term(random, names, 2)}`;
    default:
      return `${name} := y if {\n${text}\n}`;
  }
}

/** A definition with keys in its name. Other definitions of the rule may stand beside it. */
function keyed(random: Random, names: Names, name: string, value: string, text: string): string {
  const some = `\tsome k, l in ${random.pick(['{"k": 1}', '["k", "l"]', '{"k": "l"}', "input.x", ...names.rules])}\n`;
  const keys = Array.from({ length: 2 }, () => random.pick(["[k]", "[l]", ".a", '["r"]']));
  return `${name}${keys.join("")}[k]${value} if {\n${some}${text}\n}`;
}

/** Statements that leave `y` bound. */
function body(random: Random, names: Names): string {
  const vars = [...names.vars];
  const lines: string[] = [];
  const count = random.int(3);
  for (let i = 0; i < count; i++) {
    const inside = { ...names, vars, isNegated: false };
    const fresh = `v${i}`;
    switch (random.int(11)) {
      case 8:
        lines.push(
          `some ${random.pick([`[${fresh}, 1]`, `{"a": ${fresh}}`, `[_, ${fresh}]`])} in ${term(random, inside, 1)}`,
        );
        vars.push(fresh);
        break;
      case 9: {
        const target = random.pick(["input", "input.x", "input.a", "input.a.b", ...names.rules]);
        const seen = random.pick(["input[1]", "input[[1]]", "input.a[1]", 'input["a"]', ...names.rules]);
        lines.push(`${fresh} := ${seen} with ${target} as ${term(random, inside, 1)}`);
        vars.push(fresh);
        break;
      }
      case 10:
        lines.push(`walk(${term(random, inside, 1)}, [w${i}, ${fresh}])`);
        vars.push(fresh, `w${i}`);
        break;
      case 4:
        lines.push(`u${i} := ${term(random, inside, 1)}`, `[${fresh}, w${i}] := u${i}`);
        vars.push(fresh, `w${i}`);
        break;
      case 5:
        lines.push(`u${i} := ${term(random, inside, 1)}`, `{"${random.pick(keys)}": ${fresh}} = u${i}`);
        vars.push(fresh);
        break;
      case 6:
        lines.push(`some ${fresh}, w${i} in ${term(random, inside, 1)}`);
        vars.push(fresh, `w${i}`);
        break;
      case 7: {
        const each = { ...inside, vars: [...vars, `m${i}`] };
        lines.push(
          `every m${i} in ${term(random, inside, 1)} {\n\t\ttype_name(m${i}) != "z"\n\t\t${term(random, each, 1)} ${random.pick(operators)} ${term(random, each, 1)}\n\t}`,
        );
        break;
      }
      case 0:
        lines.push(`${fresh} := ${term(random, inside, 2)}`);
        vars.push(fresh);
        break;
      case 1:
        lines.push(`some ${fresh} in ${term(random, inside, 1)}`);
        vars.push(fresh);
        break;
      case 2:
        lines.push(`${term(random, inside, 1)} ${random.pick(operators)} ${term(random, inside, 1)}`);
        break;
      default:
        inside.isNegated = true;
        lines.push(
          `not ${term(random, inside, 1)} == ${term(random, inside, 1)}${random.int(3) === 0 ? ` with input.${random.pick(keys)} as ${term(random, inside, 1)}` : ""}`,
        );
    }
  }
  lines.push(`y := ${term(random, { ...names, vars }, 2)}`);
  return lines.map((line) => `\t${line}`).join("\n");
}

function term(random: Random, names: Names, depth: number): string {
  const inner = (): string => term(random, names, depth - 1);
  const variable = (): string => (names.vars.length > 0 ? random.pick(names.vars) : "input.x");
  if (depth <= 0)
    switch (random.int(4)) {
      case 0:
        return random.pick(objects);
      case 1:
        return variable();
      case 2:
        return names.rules.length > 0 ? random.pick(names.rules) : "input.y";
      default:
        return random.pick(literals);
    }
  switch (random.int(13)) {
    case 9:
      // OPA checks the lesser of two calls in one set first, we the left one: each finds the other one at fault.
      return `{${inner()}, ${term(random, names, 0)}}`;
    case 10:
      return `{e | some e in ${inner()}}`;
    case 11:
      return `${names.vars.length > 0 ? variable() : `input.${random.pick(keys)}`}[${names.isNegated ? "0" : "_"}]`;
    case 12:
      return names.vars.length > 0 ? `${variable()}[${random.pick([...names.vars, "0", '"a"'])}]` : inner();
    case 0:
      return `[${inner()}, ${inner()}]`;
    case 1:
      return `{"${random.pick(keys)}": ${inner()}}`;
    case 2: {
      const [name, arity] = random.pick(functions);
      return `${name}(${Array.from({ length: arity }, inner).join(", ")})`;
    }
    case 3:
      return names.functions.length > 0 ? `${random.pick(names.functions)}(${inner()})` : inner();
    case 4:
      return `[e | some e in ${inner()}]`;
    case 5:
      return `{e: 1 | some e in ${inner()}}`;
    case 6:
      return names.vars.length > 0 ? `${variable()}.${random.pick(keys)}` : `input.${random.pick(keys)}`;
    case 7:
      return names.rules.length > 0 ? `${random.pick(names.rules)}.${random.pick(keys)}` : inner();
    default:
      return inner();
  }
}
