/** Public repositories of Rego, each at one commit, and how their authors test it. */

export interface Repository {
  readonly name: string;
  readonly url: string;
  readonly commit: string;
  /** What `test` is given, below the repository; each list is a run of its own. A `*` stands for every folder there. None: only formatted. */
  readonly runs: readonly (readonly string[])[];
  /** Names of files that are left out, for both tools. */
  readonly ignore?: string;
  /** Written for Rego v0: a copy is converted with `opa fmt --v0-v1` first. */
  readonly converted?: boolean;
  /** The file of `oracle/` that has its own builtins, and the Go module that they come from: the checkout, or a version. */
  readonly builtins?: { readonly tag: string; readonly module: string; readonly version?: string };
}

export const repositories: readonly Repository[] = [
  {
    name: "konstraint",
    url: "https://github.com/plexsystems/konstraint",
    commit: "76901b5726522cf8872fb3f6022d83c40e1ed711",
    runs: [["examples"]],
    ignore: "*.yaml",
  },
  {
    name: "cloudbeat",
    url: "https://github.com/elastic/cloudbeat",
    commit: "2b3db5e2945e86f121fda2dfe5c75316e80bf51b",
    runs: [["security-policies/bundle"]],
  },
  {
    name: "ScubaGoggles",
    url: "https://github.com/cisagov/ScubaGoggles",
    commit: "416a18ae2a5cd8a3a438e698f2adb781e529233a",
    runs: [["scubagoggles/rego", "scubagoggles/Testing/Unit/Rego"]],
  },
  {
    name: "gatekeeper-library",
    url: "https://github.com/open-policy-agent/gatekeeper-library",
    commit: "5c441fb645f257b2c428fe9aea22da24a94b5bab",
    // Every folder has copies of the libraries, so that each is tested alone.
    runs: [["src/general/*"], ["src/pod-security-policy/*"], ["src/rego/*"]],
    converted: true,
  },
  {
    name: "trivy-checks",
    url: "https://github.com/aquasecurity/trivy-checks",
    commit: "80e5382269707262f35cf893bdc0805cb72217e9",
    runs: [["lib", "checks", "examples"]],
    ignore: "*.yaml",
    builtins: { tag: "trivy", module: "github.com/aquasecurity/trivy-checks" },
  },
  {
    name: "regal",
    url: "https://github.com/open-policy-agent/regal",
    commit: "7c1c09d3f6672a4e33a52b5ebbad4d0ce631b8f6",
    runs: [["bundle"]],
    builtins: { tag: "regal", module: "github.com/open-policy-agent/regal" },
  },
  {
    name: "conforma",
    url: "https://github.com/conforma/policy",
    commit: "7211d0329e93fda0a6d6d3d33c3909fc6a7681ca",
    runs: [["policy"]],
    builtins: { tag: "conforma", module: "github.com/package-url/packageurl-go", version: "v0.1.3" },
  },
  {
    name: "ScubaGear",
    url: "https://github.com/cisagov/ScubaGear",
    commit: "4d34e9a48e38ce5c2e14c0fdfbaee53e57594ae2",
    // As published both tools refuse it: `[][0]`.
    runs: [],
  },
  {
    name: "regolibrary",
    url: "https://github.com/kubescape/regolibrary",
    commit: "ce7ef32aef7a7d272016c3f0d1105c60d6b266fb",
    runs: [],
  },
];

/** Repositories of Rego v0: converted by both tools, and not tested. */
export const v0Repositories: readonly Pick<Repository, "name" | "url" | "commit">[] = [
  {
    name: "regula",
    url: "https://github.com/fugue/regula",
    commit: "259c10a6a746e3c1eb84857d9f548cca463034af",
  },
  {
    name: "terrascan",
    url: "https://github.com/tenable/terrascan",
    commit: "d0405c2d2aba32260b82419e1274e9c76ddf844b",
  },
];
