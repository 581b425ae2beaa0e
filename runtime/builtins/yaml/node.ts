/** The syntax of a YAML document, before scalars mean anything. */

export type YamlNode =
  | { readonly kind: "Scalar"; readonly value: string; readonly plain: boolean; readonly tag: string }
  | { readonly kind: "Sequence"; readonly items: readonly YamlNode[]; readonly tag: string }
  | { readonly kind: "Mapping"; readonly entries: readonly (readonly [YamlNode, YamlNode])[]; readonly tag: string }
  | { readonly kind: "Alias"; readonly name: string; readonly target: YamlNode };

export class YamlError extends Error {}

export function bad(reason: string): never {
  throw new YamlError(reason);
}

export const emptyScalar: YamlNode = { kind: "Scalar", value: "", plain: true, tag: "" };
