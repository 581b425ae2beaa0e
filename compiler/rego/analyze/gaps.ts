/**
 * What modules with syntax errors may define, beside what could be read of them. Nothing is found that may only follow from
 * such an error: a name that may be defined is defined, may be called with any arguments, and may have any value.
 */

import type { Module, PartialModule, Ref } from "../syntax/index.ts";
import { isRootName } from "./root-names.ts";
import type { Unit } from "./work.ts";

const pathKey = (path: readonly string[]): string => JSON.stringify(path);

function unreadOf(module: Module): PartialModule["unread"] | undefined {
  return (module as Partial<PartialModule>).unread;
}

export class Gaps {
  /** By package; `any` for all names. */
  private readonly packages = new Map<string, "any" | Set<string>>();
  /** Names that modules use and nothing that could be read defines, by package. */
  private readonly assumed = new Map<string, Set<string>>();
  /** Modules with an import that is not known. */
  private readonly importing = new Set<Unit>();
  private readonly everywhere: boolean;
  /** There are no gaps: all modules could be read. */
  readonly none: boolean;

  /** `everywhere`: there are modules of which not even the package is known. */
  constructor(units: readonly Unit[], everywhere: boolean) {
    this.everywhere = everywhere;
    let none = !everywhere;
    for (const unit of units) {
      const unread = unreadOf(unit.module);
      if (unread === undefined) continue;
      none = false;
      if (unread.anyImport) this.importing.add(unit);
      const key = pathKey(unit.path);
      const before = this.packages.get(key);
      const names = unread.anyRule || before === "any" ? "any" : new Set([...(before ?? []), ...unread.names]);
      this.packages.set(key, names);
    }
    this.none = none;
  }

  /** Whether a broken part may define a document at a path below `data`, or one above it. */
  mayDefine(path: readonly string[]): boolean {
    if (this.none) return false;
    if (this.everywhere) return true;
    return path.some((name, i) => {
      const key = pathKey(path.slice(0, i));
      const names = this.packages.get(key);
      return names === "any" || names?.has(name) === true || this.assumed.get(key)?.has(name) === true;
    });
  }

  /** The same for the constant beginning of a reference. */
  mayDefineRef({ head, args }: Ref): boolean {
    if (this.none || head.kind !== "Var" || head.name !== "data") return false;
    const end = args.findIndex((arg) => arg.kind !== "String");
    const constant = end < 0 ? args : args.slice(0, end);
    return this.mayDefine(constant.map((arg) => (arg.kind === "String" ? arg.value : "")));
  }

  /**
   * Whether a name of a module that nothing defines may be a rule or import all the same; from then on it may be anything.
   * `isBuiltin`: it is one without that.
   */
  takesName(unit: Unit, name: string, isBuiltin: boolean): boolean {
    if (this.none || name === "_" || isRootName(name)) return false;
    const key = pathKey(unit.path);
    const names = this.packages.get(key);
    if (names !== undefined && names !== "any" && names.has(name)) return true;
    if (isBuiltin || !(this.everywhere || names === "any" || this.importing.has(unit))) return false;
    this.assumed.set(key, (this.assumed.get(key) ?? new Set()).add(name));
    return true;
  }
}
