/** A policy set, and claims about it that hold of the library. */

export interface World {
  readonly files: Readonly<Record<string, string>>;
  /** Gates of the set's own in `ext/call.rego`. Each says of some calls what the specification says of every call. */
  readonly gates: readonly string[];
  /** By decision: requests that are allowed, each with what denies it where it is said instead. */
  readonly denied?: readonly (readonly [decision: string, allowed: object, ...instead: object[]])[];
  /** Claims besides, in YAML. */
  readonly claims?: readonly string[];
}

/**
 * In YAML, each a `never`. Gates of authors are asked after those of the library: where none of these denies a request, the
 * library let nothing through that they deny.
 */
export function claimsOf({ gates, denied = [], claims = [] }: World): string[] {
  return [
    ...(gates.length === 0 ? [] : [`never: { decision: call, gate: [${gates.join(", ")}] }`]),
    ...denied.flatMap(([decision, allowed, ...instead]) =>
      instead.map((members) => inYaml("never", decision, { ...allowed, ...members })),
    ),
    ...claims,
  ];
}

/** That the requests of `denied` are allowed as they are: it is for what is said instead that others are denied. */
export function allowedIn({ denied = [] }: World): string[] {
  return denied.map(([decision, allowed]) => inYaml("always", decision, allowed));
}

function inYaml(holds: "never" | "always", decision: string, input: object): string {
  return `${holds}: ${JSON.stringify({ decision, input })}`;
}
