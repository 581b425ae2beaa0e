/** The fields of a file format, from its JSON Schema. */

import { EFFECTS, type Effect } from "../../governance/sources/index.ts";

/** The little of JSON Schema that the formats use. */
export interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly properties?: { readonly [key: string]: Schema };
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

export interface Field {
  /** `lanes[].allowed_callers.roles`, `tools[].arguments.*.type` */
  readonly path: string;
  readonly schema: Schema;
  readonly effect: Effect;
  /** The description without the effect. */
  readonly text: string;
}

/** Every field that holds a value of its own, in the order of the schema. Throws for one whose description names no effect. */
export function fieldsOf(schema: Schema, path = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const own = path === "" ? key : `${path}.${key}`;
    const [, effect, text] = /^(\w+): (.+)$/.exec(field.description ?? "") ?? [];
    const known = EFFECTS.find((one) => one === effect);
    // A mapping that says its effect itself has fields that stand elsewhere, too.
    if (field.properties !== undefined && known === undefined) return fieldsOf(field, own);
    if (field.items?.properties !== undefined) return fieldsOf(field.items, `${own}[]`);
    const { additionalProperties: members } = field;
    if (typeof members === "object" && members.properties !== undefined) return fieldsOf(members, `${own}.*`);
    if (known === undefined || text === undefined)
      throw new Error(`the description of \`${own}\` must begin with ${EFFECTS.join(", ")} and a colon`);
    return [{ path: own, schema: field, effect: known, text }];
  });
}
