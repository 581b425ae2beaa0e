/** Handles: a string that a policy was asked about once, so that requests that hold it are not looked up again. */

/** Stands for its text wherever a request may have a string. Made by `Policy.intern`; another policy takes it as its text. */
export class Interned<Text extends string = string> {
  /** No properties: a handle must not be taken for an object with members. */
  readonly #text: Text;
  readonly #address: number;
  readonly #owner: object | undefined;

  /** `address`: of the policy's own string, 0 for a text that the policy does not hold; `owner` knows the address. */
  constructor(text: Text, address: number, owner: object | undefined) {
    this.#text = text;
    this.#address = address;
    this.#owner = owner;
    Object.freeze(this);
  }

  static is(value: object): value is Interned {
    return #text in value;
  }

  get text(): Text {
    return this.#text;
  }

  /** The address that this owner knows it by, or 0. */
  addressFor(owner: object): number {
    return this.#owner === owner ? this.#address : 0;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** A request in which any string may be a handle. */
export type WithHandles<T> = T extends string
  ? T | Interned<T>
  : T extends readonly (infer Item)[]
    ? readonly WithHandles<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: WithHandles<T[Key]> }
      : T;
