/** Small programs with what OPA's strict mode looks for: imports, assignments, declarations and arguments that may be unused. */

import type { Random } from "../plan/generate/random.ts";

const paths = ["data.lib.a", "data.lib.b", "data.other.a", "input.user", "input.list", "data.lib"];
const names = ["a", "b", "lib", "user", "list", "v", "w", "x"];
const deprecated = ["any([true])", "all([])", "re_match(`a`, `b`)", "cast_string(`a`)", "set_diff({1}, {2})"];

/** One module of package `name`, which has no fault but those of strict mode, and declarations that nothing uses. */
export function strictProgram(random: Random, name: string): string {
  return new Program(random, name).text();
}

class Program {
  private readonly random: Random;
  private readonly name: string;
  /** The names that the module's imports give. */
  private readonly imported = new Set<string>();
  private next = 0;

  constructor(random: Random, name: string) {
    this.random = random;
    this.name = name;
  }

  text(): string {
    const imports = Array.from({ length: this.random.int(4) }, () => this.import());
    const rules = Array.from({ length: 1 + this.random.int(3) }, (_, i) => this.rule(`r${i}`));
    return `package ${this.name}\n\n${[...imports, ...rules].join("\n")}\n`;
  }

  private import(): string {
    const path = this.random.pick(paths);
    const alias = this.random.chance(0.3) ? this.random.pick(names) : undefined;
    this.imported.add(alias ?? (path.split(".").at(-1) as string));
    return `import ${path}${alias === undefined ? "" : ` as ${alias}`}`;
  }

  private rule(rule: string): string {
    const args = Array.from({ length: this.random.int(4) }, () => this.fresh());
    const head = args.length === 0 ? rule : `${rule}(${args.map((a) => this.pattern(a)).join(", ")})`;
    if (this.random.chance(0.2)) return `${head} := ${this.term(args)}`;
    const elses = this.random.chance(0.3) ? ` else := ${this.term(args)} if {\n${this.body(args, 1).text}}` : "";
    const { text, bound } = this.body(args, 1);
    const partial = args.length === 0 && elses === "" && this.random.chance(0.3);
    if (partial) return `${rule} contains ${this.term([...args, ...bound])} if {\n${text}}`;
    return `${head} := ${this.term([...args, ...bound])} if {\n${text}}${elses}`;
  }

  private pattern(arg: string): string {
    return this.random.oneOf([6, () => arg], [1, () => `[${arg}, _]`], [1, () => `{"k": ${arg}}`]);
  }

  private fresh(): string {
    return `v${this.next++}`;
  }

  /** Statements, and what they bind outside of closures. */
  private body(outer: readonly string[], depth: number): { readonly text: string; readonly bound: readonly string[] } {
    const bound: string[] = [];
    const indent = "\t".repeat(depth);
    const lines = Array.from({ length: 1 + this.random.int(4) }, () => {
      const before = [...outer, ...bound];
      return `${indent}${this.statement(before, bound, depth)}\n`;
    });
    return { text: lines.join(""), bound };
  }

  private statement(seen: readonly string[], bound: string[], depth: number): string {
    const nested = depth < 3 ? 2 : 0;
    const fresh = (): string => {
      const made = this.fresh();
      bound.push(made);
      return made;
    };
    return this.random.oneOf(
      [5, () => assigned(this.term(seen), fresh())],
      [1, () => assigned(`[1, ${this.term(seen)}]`, `[${fresh()}, ${fresh()}]`)],
      [1, () => assigned(`{"k": ${this.term(seen)}}`, `{"k": ${fresh()}}`)],
      [3, () => `${this.term(seen)} != ${this.term(seen)}`],
      [2, () => `some ${fresh()} in ${this.collection(seen)}`],
      [1, () => `some ${fresh()}, ${fresh()} in ${this.collection(seen)}`],
      [nested, () => this.every(seen, depth)],
      [nested, () => assigned(this.comprehension(seen, depth), fresh())],
      [nested, () => `not ${this.term(seen)}`],
      [1, () => this.random.pick(deprecated)],
    );
  }

  private every(seen: readonly string[], depth: number): string {
    const value = this.fresh();
    const { text } = this.body([...seen, value], depth + 1);
    return `every ${value} in ${this.collection(seen)} {\n${text}${"\t".repeat(depth)}}`;
  }

  private comprehension(seen: readonly string[], depth: number): string {
    const { text, bound } = this.body(seen, depth + 1);
    const term = this.term([...seen, ...bound]);
    return this.random.oneOf(
      [1, () => `[${term} |\n${text}${"\t".repeat(depth)}]`],
      [1, () => `{${term} |\n${text}${"\t".repeat(depth)}}`],
      [1, () => `{"k": ${term} |\n${text}${"\t".repeat(depth)}}`],
    );
  }

  private term(seen: readonly string[]): string {
    const known = [...seen, ...this.imported];
    return this.random.oneOf(
      [known.length > 0 ? 4 : 0, () => this.random.pick(known)],
      [2, () => String(this.random.int(9))],
      [1, () => "input.x"],
    );
  }

  private collection(seen: readonly string[]): string {
    return this.random.oneOf(
      [2, () => `[1, ${this.term(seen)}]`],
      [1, () => "input.list"],
      [1, () => `{"k": ${this.term(seen)}}`],
    );
  }
}

function assigned(value: string, to: string): string {
  return `${to} := ${value}`;
}
