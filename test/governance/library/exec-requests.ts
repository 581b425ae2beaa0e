/** Requests to exec and close about the policy `combined`: a right one, each of its values spoiled, and what only stands out together. */
import { spoiledOnce } from "./spoiling.ts";

const staged = {
  mode: "dev",
  kind: "script",
  session: { valid: true },
  script: { path: "/q/c/x.py", sha256: "ab" },
  contract: {
    contract_id: "c",
    status: "open",
    signature_valid: true,
    expired: false,
    mode: "dev",
    declared_targets: ["t", "u"],
    declared_operations: ["WRITE"],
  },
  hat: {
    script_sha256: "ab",
    contract_id: "c",
    declared_targets: ["u", "t"],
    mode: "dev",
    timestamp: "now",
    signature_valid: true,
    version: 2,
    declared_operations: ["WRITE"],
    age_seconds: 1,
  },
};

type Staged = typeof staged;

/** The right request with other fields of contract and packet. */
function agreed(contract: object, hat: object): object {
  return { ...staged, contract: { ...staged.contract, ...contract }, hat: { ...staged.hat, ...hat } };
}

/** Two gates that follow each other, failing at once: the first one answers. */
const failures: readonly ((request: Staged) => object)[] = [
  (one) => ({ ...one, mode: "lost" }),
  (one) => ({ ...one, kind: "other" }),
  (one) => ({ ...one, session: { valid: false } }),
  (one) => ({ ...one, contract: { ...one.contract, status: "closed" } }),
  (one) => ({ ...one, contract: { ...one.contract, mode: "init" } }),
  (one) => ({ ...one, script: { ...one.script, path: "/z/c/x.py" } }),
  (one) => ({ ...one, script: { ...one.script, path: "/q/d/x.py" } }),
  (one) => ({ ...one, hat: null }),
  (one) => ({ ...one, hat: { ...one.hat, timestamp: "a|b" } }),
  (one) => ({ ...one, hat: { ...one.hat, signature_valid: false } }),
  (one) => ({ ...one, hat: { ...one.hat, age_seconds: 61 } }),
  (one) => ({ ...one, script: { ...one.script, sha256: "cd" } }),
  (one) => ({ ...one, hat: { ...one.hat, contract_id: "d" } }),
  (one) => ({ ...one, hat: { ...one.hat, declared_targets: ["t"] } }),
  (one) => ({ ...one, hat: { ...one.hat, mode: "init" } }),
  (one) => ({ ...one, hat: { ...one.hat, declared_operations: [] } }),
];

function failingTwice(): object[] {
  return failures.flatMap((one) =>
    failures.map((other) => {
      const request = other(staged) as Staged;
      // What the one takes away, the other cannot change.
      return request.hat === null ? request : one(request);
    }),
  );
}

export function execRequests(): unknown[] {
  return [
    ...failingTwice(),
    // Ids of every kind of character, near misses among them.
    ...["c", "C-1_x.9", "Az09._-", "...", "c d", "c\u00e9", "c\u0441", "c+", "c/", "-"].map((id) => ({
      ...agreed({ contract_id: id }, { contract_id: id }),
      script: { path: `/q/${id}/x.py`, sha256: "ab" },
    })),
    // No list, or no list of texts, on both sides alike.
    ...[{ 0: "WRITE" }, ["WRITE", 1], [1], "WRITE", [["WRITE"]], []].map((operations) =>
      agreed({ declared_operations: operations }, { declared_operations: operations }),
    ),
    agreed({ declared_targets: { 0: "t", 1: "u" } }, {}),
    agreed({ declared_operations: { 0: "WRITE" } }, {}),
    agreed({}, { declared_operations: { 0: "WRITE" } }),
    // One target on both sides alike: canonical or not, once or twice.
    ...[
      "u",
      "",
      " ",
      "/",
      ".",
      "..",
      "./u",
      "u/",
      "u//v",
      "u/../v",
      "/u/v",
      "/u/",
      "u\\v",
      "..u",
      "u.",
      ".u",
      "u/.v",
      "u/..",
    ]
      .flatMap((one) => [[one], ["t", one], [one, one]])
      .map((declared_targets) => ({
        ...staged,
        contract: { ...staged.contract, declared_targets },
        hat: { ...staged.hat, declared_targets },
      })),
    // A packet of the first version, and what falls between the two.
    ...[{}, { version: 1 }, { version: 2 }, { declared_operations: ["WRITE"] }, { declared_operations: null }].map(
      (fields) => {
        const { version: _, declared_operations: __, ...first } = staged.hat;
        return { ...staged, hat: { ...first, ...fields } };
      },
    ),
    // No hash at all, on both sides alike.
    { ...staged, script: { ...staged.script, sha256: "" }, hat: { ...staged.hat, script_sha256: "" } },
    ...["script", "inline"].flatMap((kind) =>
      spoiledOnce(
        { ...staged, kind },
        {
          "/mode": ["init", "lost"],
          "/script/path": [
            "/q/d/x.py",
            "/z/c/x.py",
            "/q/c/x.py/y",
            "/q/c/.py",
            "/q/c/x.PY",
            "/q/./c/x.py",
            "/q/c/../c/x.py",
            "/q/../x.py",
            "/q",
            "/q/c",
            "/x.py",
            "/q/c/x\\y.py",
            "/qc/x.py",
            "/q//c/x.py",
            "c/x.py",
            "q/c/x.py",
            "/q/.c/x.py",
          ],
          "/contract/contract_id": [".", "..", "c d", "c\n"],
          "/contract/status": ["OPEN", "closed"],
          "/contract/mode": ["init"],
          "/contract/declared_targets": [["t"], ["u", "t"], ["t", "u", "u"], ["t", "u", 1]],
          "/hat/declared_targets": [["t"], ["t", "u", "u"], ["t", "u", 1]],
          "/contract/declared_operations": [["WRITE", "WRITE"], ["WRITE", "CREATE"], ["WRITE", 1], ["write"]],
          "/hat/declared_operations": [["WRITE", "WRITE"], ["WRITE", "CREATE"], ["WRITE", 1], ["write"]],
          "/hat/version": [2, 3, "1"],
          "/hat/mode": ["init"],
          "/hat/age_seconds": [60, 61],
        },
      ),
    ),
  ];
}

const clean = {
  baseline_sha: "abc",
  contract: { signature_valid: true, expired: false },
  contract_root: "/r",
  declared_targets: ["a", "b"],
  declared_operations: ["WRITE", "MODE"],
  changed_files: [
    { path: "f", resolved: "/r/a/x", operation: "WRITE" },
    { path: "e", resolved: "/r/b", operation: "MODE" },
  ],
};

const OPERATIONS = [
  "CREATE",
  "WRITE",
  "DELETE",
  "RENAME",
  "MODE",
  "EXECUTE",
  "write",
  "WRIT",
  "WRITES",
  "\u0041\u0301",
];

export function closeRequests(): unknown[] {
  return [
    // Each operation, declared and done.
    ...OPERATIONS.map((operation) => ({
      ...clean,
      declared_operations: [operation],
      changed_files: [{ path: "f", resolved: "/r/a", operation }],
    })),
    ...[
      { 0: "WRITE", 1: "MODE" },
      { WRITE: "MODE", MODE: "WRITE" },
    ].map((declared_operations) => ({
      ...clean,
      declared_operations,
    })),
    // Nothing that starts at the root.
    { ...clean, contract_root: "r", changed_files: [{ path: "f", resolved: "r/a/x", operation: "WRITE" }] },
    ...spoiledOnce(clean, {
      "/contract_root": ["/r/", "/r/.", "/r/./", "//r", "/./r", "/r/..", "/R", "/r2"],
      "/contract": ["unsigned", "Unsigned", ["unsigned"]],
      "/declared_operations/0": ["CREATE", "write", "WRITE "],
      "/changed_files/0/operation": ["CREATE", "DELETE", "RENAME", "MODE", "write", "EXECUTE"],
      "/changed_files/1/operation": ["CREATE", "WRITE"],
      "/changed_files/0/resolved": ["/r/a/../x", "/r/c", "/r", "/a/x", "/r/a/.x", "r/a/x"],
      "/declared_targets/0": ["/a", "/r/a", "a/x", "a/..", "/", ".", "a/", "./a", "/r", "a\\x"],
    }),
  ];
}
