/**
 * Pinned tools: a tool is shown and called as a person has accepted it, with name, description and schema. Another definition is
 * kept aside, beside the file, until somebody looks at it: what a model reads of a tool is an instruction to it.
 */

import { isJsonObject } from "@portcullis/documents";
import { canonical } from "./digest.ts";
import type { Members } from "./messages.ts";

/** By name, definitions as servers list them. */
type Definitions = ReadonlyMap<string, Members>;

interface PinFiles {
  /** The text of the pins; `undefined` where no tool is pinned yet. */
  read(): string | undefined;
  /** Writes what was listed, and is not accepted. */
  keep(text: string): void;
  readonly log: (line: string) => void;
}

/** A server can list any number of tools that are not pinned; further ones are hidden, and not kept. */
const MOST_KEPT = 1_000;

export class Pins {
  private readonly files: PinFiles;
  /** What the server listed last of each tool that differs. */
  private readonly changed = new Map<string, Members>();
  /** Whether some of it could not be kept yet. */
  private isUnkept = false;

  constructor(files: PinFiles) {
    this.files = files;
  }

  /** The items of a list that are as they were accepted. Reads the pins again. Throws where they cannot be read, or kept. */
  accepted(items: readonly unknown[]): boolean[] {
    const pinned = this.pinned();
    const isSame = (item: Members): boolean => {
      const accepted = pinned.get(String(item["name"]));
      return accepted !== undefined && canonical(accepted) === canonical(item);
    };
    const same = items.map((item) => isJsonObject(item) && isSame(item));
    // A call may get either of two tools of one name: one that differs hides both.
    const differing = new Set(items.filter((_, i) => !same[i]).map((item) => isJsonObject(item) && item["name"]));
    const are = items.map((item, i) => {
      const name = isJsonObject(item) ? item["name"] : undefined;
      if (!isJsonObject(item) || typeof name !== "string") return false;
      if (!differing.has(name)) {
        this.changed.delete(name);
        return true;
      }
      if (same[i]) return false;
      const accepted = pinned.get(name);
      const before = this.changed.get(name);
      if (before !== undefined && canonical(before) === canonical(item)) return false;
      // INVARIANT: a pinned tool that differs is always kept: what is not kept could be called.
      if (accepted === undefined && before === undefined && this.changed.size >= MOST_KEPT) return false;
      this.changed.set(name, item);
      this.isUnkept = true;
      const why = accepted === undefined ? "is not pinned" : "has changed since it was pinned";
      this.files.log(`the tool ${seen(JSON.stringify(name))} ${why}, and is hidden until \`--accept\``);
      return false;
    });
    if (this.isUnkept) this.files.keep(definitionsText(this.changed));
    this.isUnkept = false;
    return are;
  }

  /** Why a tool must not be called; `undefined` for one that is as it was accepted, as far as the server has listed it. */
  problem(name: string): "tool_not_pinned" | "tool_changed" | undefined {
    const accepted = this.pinned().get(name);
    if (accepted === undefined) return "tool_not_pinned";
    const listed = this.changed.get(name);
    return listed === undefined || canonical(listed) === canonical(accepted) ? undefined : "tool_changed";
  }

  private pinned(): Definitions {
    const text = this.files.read();
    try {
      return text === undefined ? new Map() : readDefinitions(text);
    } catch (error) {
      // It would read as if the server's list were broken.
      throw new Error(`the file of pins is broken: ${(error as Error).message}`);
    }
  }
}

/** The pins with what was kept aside, as texts before and after. Throws for a text that is neither. */
export function acceptPins(
  pinned: string | undefined,
  kept: string,
): { readonly before: string; readonly after: string } {
  const before = pinned === undefined ? new Map<string, Members>() : readDefinitions(pinned);
  const after = new Map([...before, ...readDefinitions(kept)]);
  return { before: definitionsText(before), after: definitionsText(after) };
}

/** Whether a text is a list as it is kept aside, to the letter: no person has edited it. */
export function isKeptList(text: string): boolean {
  try {
    return definitionsText(readDefinitions(text)) === text;
  } catch {
    return false;
  }
}

function readDefinitions(text: string): Definitions {
  const value: unknown = JSON.parse(text);
  const tools = isJsonObject(value) ? value["tools"] : undefined;
  if (!Array.isArray(tools)) throw new Error("a file of pins has a list `tools`");
  return new Map(
    tools.map((tool: unknown) => {
      const name = isJsonObject(tool) ? tool["name"] : undefined;
      if (!isJsonObject(tool) || typeof name !== "string") throw new Error("a pinned tool has a name");
      return [name, tool];
    }),
  );
}

/** Sorted by name, members too: a difference is one of meaning, and nothing of it is hidden from who accepts it. */
function definitionsText(definitions: Definitions): string {
  const names = [...definitions.keys()].sort();
  const tools = names.map((name) => JSON.parse(canonical(definitions.get(name))) as Members);
  return `${seen(JSON.stringify({ tools }, undefined, 2))}\n`;
}

/** JSON with what a person does not see, and a model reads, as JSON escapes it: letters can be written in such characters. */
function seen(json: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    character.split("").map(escaped).join(""),
  );
}
