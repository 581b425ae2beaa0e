/** What a tool's arguments may be, as its file says it. */

import type { Span } from "@portcullis/rego/diagnostics";
import type { Value } from "@portcullis/rego/value";
import type { CommandPattern } from "./command-pattern.ts";
import type { HostEntry } from "./host-entry.ts";
import type { Named } from "./model.ts";

export const ARGUMENT_TYPES = ["string", "integer", "number", "boolean", "list", "object", "any"] as const;
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

/** The arguments of a tool that says what they may be. */
export interface ToolArguments {
  readonly byName: ReadonlyMap<string, Argument>;
  /** Whether a call may have others. */
  readonly others: "deny" | "allow";
}

export interface Argument extends ArgumentRule {
  readonly name: Named;
  readonly required: boolean;
  /** What every element of a list may be. */
  readonly each: ArgumentRule | undefined;
}

/** What an argument, or an element of one, may be. */
export interface ArgumentRule {
  readonly type: ArgumentType;
  readonly members: Members;
  readonly approval: ArgumentApproval | undefined;
}

/** Which values need a person's approval: all of them, or those that members match; `isBound`: of the very call. */
export type ArgumentApproval = { readonly isBound: boolean } & (
  | { readonly kind: "Every" }
  | { readonly kind: "Matching"; readonly members: Members }
);

/** In the order in which they are asked; `undefined` for what is not said. */
export interface Members {
  readonly oneOf: readonly Value[] | undefined;
  /** RE2, valid alone. */
  readonly pattern: string | undefined;
  readonly maxLength: number | undefined;
  readonly min: Limit | undefined;
  readonly max: Limit | undefined;
  readonly paths: PathRule | undefined;
  readonly hosts: readonly HostEntry[] | undefined;
  readonly schemes: readonly string[] | undefined;
  readonly commands: readonly CommandPattern[] | undefined;
}

/** A number for all roles, or by role. */
export interface Limit {
  readonly byRole: ReadonlyMap<string, RoleLimit>;
  /** JSON number text, for roles without a row; `undefined`: they are denied. */
  readonly otherwise: string | undefined;
  /** Where a table says that, in the row `default`. */
  readonly row: Span | undefined;
}

export interface RoleLimit {
  /** JSON number text. */
  readonly text: string;
  readonly span: Span;
}

export interface PathRule {
  /** From the project's root, canonical; "" is the root. */
  readonly below: readonly string[];
  readonly except: readonly string[];
  readonly resolve: "host" | "text";
}
