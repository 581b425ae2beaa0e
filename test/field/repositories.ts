/** Public repositories of Rego, each at one commit, and how their authors test it. */

import type { Pinned } from "../checkout.ts";

export interface Repository extends Pinned {
  /** What `test` is given, below the repository; each list is a run of its own. A `*` stands for every folder there. None: only formatted. */
  readonly runs: readonly (readonly string[])[];
  /** Names of files that are left out, for both tools. */
  readonly ignore?: readonly string[];
  /** Its tests read JSON of other names than `data.json`, which `opa test` finds in a folder, and ours is told. */
  readonly namesData?: boolean;
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
    ignore: ["*.yaml"],
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
    ignore: ["*.yaml"],
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
  {
    // The API of a gateway: who may call it, and which fields each may see.
    name: "entity-persistence-gateway-policies",
    url: "https://github.com/tarcinapp/entity-persistence-gateway-policies",
    commit: "8a9573aa1efafb6c684d2eb400a87d8fc37d5090",
    runs: [["policies"]],
  },
  {
    // Plans of Terraform for Azure.
    name: "terraform-rego-policies",
    url: "https://github.com/libre-devops/terraform-rego-policies",
    commit: "845e2279a196ffc8c07710eda92fd2d4dd181808",
    runs: [["."]],
  },
  {
    // Dockerfiles, manifests of Kubernetes and Terraform, for conftest.
    name: "embark-opa-policies",
    url: "https://github.com/EmbarkStudios/opa-policies",
    commit: "c6377cad4660e010dc0bb01bb1a5fcf04efa60be",
    runs: [["."]],
  },
  {
    // The environments and networks of a platform of a public authority.
    name: "modernisation-platform",
    url: "https://github.com/ministryofjustice/modernisation-platform",
    commit: "ed8a7936d0d18f09f9ed74671d4884b3adfdc1aa",
    runs: [["policies"]],
  },
  {
    // Clients of Kafka.
    name: "opa-kafka-plugin",
    url: "https://github.com/StyraInc/opa-kafka-plugin",
    commit: "5f457096293e3ae1c881647caaf78bdefb66f1ba",
    runs: [["src"]],
  },
  {
    // The benchmarks of CIS for Kubernetes.
    name: "k8s-security-policies",
    url: "https://github.com/raspbernetes/k8s-security-policies",
    commit: "39e822e5dc6c19adb50bdb123dec6b8b3cba5ca8",
    runs: [["policies"]],
    converted: true,
  },
  {
    // Admission and mutation in Kubernetes, Docker, Terraform: OPA's first library.
    name: "opa-library",
    url: "https://github.com/open-policy-agent/library",
    commit: "75fd87df47be8616e6d5095e427f85030b60affc",
    runs: [["aws"], ["docker"], ["kubernetes/admission"], ["terraform"]],
    converted: true,
  },
  {
    // Plans of Terraform for AWS.
    name: "opa_checks",
    url: "https://github.com/cds-snc/opa_checks",
    commit: "9998df3b2477836cda1762d56467cee3cda40519",
    runs: [["aws_terraform"]],
    converted: true,
  },
  {
    // Dockerfiles and Terraform, with exceptions from each rule.
    name: "conftest-policy-packs",
    url: "https://github.com/rallyhealth/conftest-policy-packs",
    commit: "1bbfa739f27885a07cf583d8cc558ae458a89bbf",
    runs: [["policies"]],
    converted: true,
  },
  {
    // Admission in Kubernetes, as modules of WebAssembly.
    name: "rego-policies-library",
    url: "https://github.com/kubewarden/rego-policies-library",
    commit: "f4127f30a6812fbff1c40f83114074848272f5d5",
    runs: [["policies/*"], ["staging/*"]],
    ignore: ["*.yaml", "*.yml"],
    converted: true,
  },
  {
    // Plans of Terraform, with a file of plans beside each policy.
    name: "sample-tf-opa-policies",
    url: "https://github.com/Scalr/sample-tf-opa-policies",
    commit: "20af36816c6aa8c6e7e96a7dc7dd50ad9dbbc49c",
    runs: [
      ["aws/*"],
      ["cost/*"],
      ["external_data/*"],
      ["gcp/*"],
      ["management/*"],
      ["modules/*"],
      ["placement/*"],
      ["providers/*"],
      ["user/*"],
    ],
    converted: true,
    namesData: true,
  },
];

/** Repositories of Rego v0: converted by both tools, and not tested. */
export const v0Repositories: readonly Pinned[] = [
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
  {
    // The posture of a project in Google's cloud: most of it calls builtins that Rego v1 has no more.
    name: "gcp-policy-library",
    url: "https://github.com/GoogleCloudPlatform/policy-library",
    commit: "4a2abc741583884dd38ca3b9bf2ff5a4d205a609",
  },
  {
    name: "gh-trusted-builds-policy",
    url: "https://github.com/liatrio/gh-trusted-builds-policy",
    commit: "eb8d8d85600b84725a53e25d5e932b67fa764948",
  },
];
