/** Numbers of two policies' data that differ in digits which a double loses: read as JavaScript reads them, they are equal. */

import { compareNumbers } from "@portcullis/runtime/host";
import { type Digits, digitsIn } from "../bundle-data.ts";
import { type Path, valueAt } from "../explain/edit.ts";
import type { OpenedPolicy } from "../opened-policy.ts";

export interface DigitChange {
  readonly path: Path;
  readonly before: string;
  readonly after: string;
}

export function digitChanges(...policies: readonly [before: OpenedPolicy, after: OpenedPolicy]): DigitChange[] {
  const sides = policies.map(({ files, data }) => ({
    data,
    digits: new Map(digitsIn(files).map((one): [string, Digits] => [JSON.stringify(one.path), one])),
  }));
  const written = new Map(sides.flatMap(({ digits }) => [...digits]));
  return [...written].flatMap(([name, { path }]): DigitChange[] => {
    const [before, after] = sides.map(({ digits, data }) => digits.get(name)?.text ?? textAt(data, path));
    if (before === undefined || after === undefined) return [];
    // What differs as a double, too, is told as any other difference.
    return Number(before) !== Number(after) || compareNumbers(before, after) === 0 ? [] : [{ path, before, after }];
  });
}

function textAt(data: unknown, path: Path): string | undefined {
  const value = valueAt(data, path);
  return typeof value === "number" ? String(value) : undefined;
}
