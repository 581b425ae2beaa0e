/** Input objects that no value can be of, https://spec.graphql.org/October2021/#sec-Input-Objects.Circular-References */

import { fail } from "../family.ts";
import type { Definition } from "./ast.ts";

/** The input objects that a value of the type has to hold; lists and fields that may be null need none. */
function neededBy(type: Definition, types: ReadonlyMap<string, Definition>): Definition[] {
  return type.Fields.flatMap(({ Type }) => {
    const needed = Type.NonNull && Type.NamedType !== "" ? types.get(Type.NamedType) : undefined;
    return needed?.Kind === "INPUT_OBJECT" ? [needed] : [];
  });
}

/** Types that need nothing are taken away, then those that needed only these, and so on; a cycle stays. */
export function refuseInputCycles(types: ReadonlyMap<string, Definition>): void {
  const inputs = [...types.values()].filter(({ Kind }) => Kind === "INPUT_OBJECT");
  const open = new Map<Definition, number>();
  const neededIn = new Map<Definition, Definition[]>(inputs.map((type) => [type, []]));
  for (const type of inputs) {
    const needed = neededBy(type, types);
    open.set(type, needed.length);
    for (const one of needed) neededIn.get(one)?.push(type);
  }
  const free = inputs.filter((type) => open.get(type) === 0);
  // The list grows while it is read.
  for (const type of free) {
    for (const user of neededIn.get(type) ?? []) {
      const left = (open.get(user) ?? 0) - 1;
      open.set(user, left);
      if (left === 0) free.push(user);
    }
  }
  if (free.length < inputs.length) fail("input object within itself");
}
