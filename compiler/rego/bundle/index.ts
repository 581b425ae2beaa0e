/** OPA bundles: the archive and its parts, and the types of a policy set. https://www.openpolicyagent.org/docs/management-bundles */

export { assembleBundle, BUNDLE_TARGETS, type BundleTarget } from "./assemble.ts";
export { coveringRoots } from "./manifest.ts";
export { type BundleFile, packBundle } from "./tar.ts";
