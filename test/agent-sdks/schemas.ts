/** What the tools take, in Zod, which all SDKs read: with a default, and a value that is coerced. */

import type { ToolName } from "./newsroom.ts";

interface Schema {
  default(value: unknown): Schema;
  partial(): Schema;
}

/** The parts of Zod that are used here. */
export interface Zod {
  readonly z: {
    object(members: Readonly<Record<string, Schema>>): Schema;
    string(): Schema;
    number(): Schema;
    boolean(): Schema;
    readonly coerce: { number(): Schema };
  };
}

export function shapes(z: Zod["z"]): Readonly<Record<ToolName, Readonly<Record<string, Schema>>>> {
  return {
    draft_create: {
      title: z.string(),
      external_publication: z.boolean().default(false),
      pages: z.coerce.number().default(3),
    },
    article_retract: { notice: z.string() },
    payout_release: { cents: z.number() },
    mailbox_read: { ticket: z.string() },
    mailbox_reply: { ticket: z.string(), recipients: z.number() },
  };
}

export function schemas(z: Zod["z"]): Readonly<Record<ToolName, Schema>> {
  return Object.fromEntries(Object.entries(shapes(z)).map(([name, shape]) => [name, z.object(shape)])) as never;
}
