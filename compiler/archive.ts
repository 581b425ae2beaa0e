/** Bundles for those who do not compile one: to pack changed files again, and to write the types of a policy set. */

export { type BundleFile, packBundle } from "./bundle/tar.ts";
export { generateTypes, type PolicyNames } from "./bundle/types.ts";
