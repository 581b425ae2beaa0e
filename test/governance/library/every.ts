/** Every combination of choices. */
import { absent } from "./spoiling.ts";

type Choices = { readonly [key: string]: readonly unknown[] };

/** Every object with one of the choices for each key. */
export function every(choices: Choices): object[] {
  return Object.entries(choices).reduce<object[]>(
    (made, [key, values]) =>
      made.flatMap((one) => values.map((value) => (value === absent ? one : { ...one, [key]: value }))),
    [{}],
  );
}
