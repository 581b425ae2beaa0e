/**
 * Custom sections of a compiled policy.
 *
 * `portcullis` holds a PolicySection as UTF-8 JSON: what the runtime must know before it instantiates the module.
 * `portcullis.bundle` holds a BundleSection in the same way: what the module's bundle says of itself. A host that has the
 * module alone reads it there; a module that was never part of a bundle has none.
 *
 * `portcullis.digest`, always the last section, holds the SHA-256 of every byte before it, so that a module that was cut
 * short or changed is recognised. It guards against accidents, not against an attacker: bundles are signed for that.
 */

/** Version of everything in `abi/` that a runtime must understand to serve a module. */
export const ABI_VERSION = 6;

export const POLICY_SECTION = "portcullis";
export const BUNDLE_SECTION = "portcullis.bundle";
export const DIGEST_SECTION = "portcullis.digest";

export interface PolicySection {
  readonly abi: number;
  /** Names with `/`, in the order of their OPA entrypoint ids. */
  readonly entrypoints: readonly string[];
  /** Builtins that the host must supply through opa_builtin0..4, by the id they are called with. */
  readonly builtins: readonly HostBuiltin[];
  /** The unique strings of the policy: `count` addresses of string values at `address`, one u32 each. */
  readonly strings: { readonly address: number; readonly count: number };
  /** First address of the heap. */
  readonly heapBase: number;
  /**
   * By entrypoint id, how to decide without OPA's result set: the place in the table for `portcullis_decide`, and what of
   * the input is read. `null` for an entrypoint that must be evaluated.
   */
  readonly decide?: readonly (DecideEntry | null)[];
  /**
   * What a fault answers: the default value of each entrypoint whose default is an object with `allowed: false`, or
   * `decision: false` as AuthZEN has it, so that even the answer to a failure is written once, in Rego.
   */
  readonly denials?: { readonly [entrypoint: string]: unknown } | undefined;
}

export interface BundleSection {
  readonly revision: string;
  readonly roots: readonly string[];
  /** Versions that the policy files give themselves. */
  readonly versions: { readonly lanes?: string | undefined; readonly roles?: string | undefined };
  /** Against rollback: a later bundle has a higher one. */
  readonly sequence?: number;
  /** By tool, the arguments whose files the host says where they lie; absent where no tool has one. */
  readonly path_arguments?: { readonly [tool: string]: readonly string[] } | undefined;
  /** `data.portcullis.policy.limits`: what the host keeps a history for; absent where there are no limits. */
  readonly limits?: { readonly [limit: string]: object } | undefined;
  /** The name under which it keeps it, whatever the revision. */
  readonly history_name?: string | undefined;
  /** What the host has to know of approvals that are bound to one call; absent where no call needs one. */
  readonly approvals?: PolicyApprovals | undefined;
  /** The versions of Rego that the manifest gives; absent where all modules are of v1. */
  readonly rego?: BundleRegoVersions | undefined;
  /** What the host has to supply below `data` before anything is decided, such as `desk.shifts`; absent where it is nothing. */
  readonly host_data?: readonly string[];
  /** `sourcesHash` of the Rego and data that the module was compiled from. */
  readonly sources: string;
  /** The same of the data alone: for a bundle that was stripped of its Rego. */
  readonly data: string;
}

/** What a policy says of approvals that are bound to one call, for the host that verifies them. */
export interface PolicyApprovals {
  /** What an approval names as `policy_revision`. */
  readonly revision: string;
  /** By the name in an approval's `by`, the public key: EC on P-256, OKP on Ed25519, or RSA. */
  readonly approvers: {
    readonly [name: string]: {
      readonly key: ApproverKey;
      /** Tools whose calls the approver may approve; absent: all. */
      readonly tools?: { readonly [tool: string]: true };
      /** Milliseconds since 1970 from which on the approver's word does not count any more. */
      readonly until_ms?: number;
    };
  };
  /** Tools of which some call needs such an approval, sorted. */
  readonly tools: readonly string[];
}

/** The public members of a JWK. */
export interface ApproverKey {
  readonly kty: "EC" | "OKP" | "RSA";
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** As in OPA's manifests: the version of all modules, and by pattern that of files of another one. */
export interface BundleRegoVersions {
  readonly version: number;
  readonly files?: { readonly [pattern: string]: number };
}

export interface HostBuiltin {
  readonly name: string;
  readonly id: number;
  readonly arity: number;
}

export interface DecideEntry {
  readonly place: number;
  readonly footprint: FootprintNode;
  /**
   * Places of rules that are asked for on the way, for hosts that warm a policy up: functions of input and data like the one
   * at `place`. Each rule stands with one entrypoint only.
   */
  readonly rules?: readonly number[];
}

/**
 * A footprint: the parts of a value that rules can read. `true`: all of it. `members`: of an object just these, of an array that it is
 * one. `each`: of an array just this of each element, of an object all of it, or just this of each value. Anything else is
 * always handed over whole.
 *
 * `lookUp` is a hint: strings there are worth looking up among the policy's. Either way the answer is the same; a string
 * that was not looked up is compared by its bytes.
 */
export type FootprintNode = true | FootprintMembers | FootprintElements;

export interface FootprintElements {
  readonly each: FootprintNode;
  /** No rule looks up a fixed key in this object, so `each` describes its values as well. */
  readonly ofObjects?: boolean;
  /** Whether the elements' texts are looked up among the policy's. */
  readonly lookUp?: boolean;
  /** Where static memory has an array of rows for arrays of at most `capacity` elements. */
  readonly rows?: RowArray;
}

/** An array of static memory, whose items are the addresses of rows that stand one after the other. */
export interface RowArray {
  readonly array: number;
  readonly items: number;
  readonly first: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
  readonly capacity: number;
}

export interface FootprintMembers {
  readonly members: { readonly [key: string]: FootprintNode };
  /** Keys of the members whose strings are worth looking up. */
  readonly lookUp?: readonly string[];
  /** Address of the object of static memory that stands for such an object; without one it is written like any other. */
  readonly object?: number;
  /** By key, where in `object` the address of the member's value goes, or 0 for undefined. */
  readonly slots?: { readonly [key: string]: number };
  /** Where such an object is written as a row: its number, and the keys of its entries, in order. */
  readonly row?: { readonly number: number; readonly keys: readonly string[] };
}
