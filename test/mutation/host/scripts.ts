/** Scripts that were checked, and how they are started. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type Launch, launchOf, runScript } from "../../../compiler/enforcement/execution/run-script.ts";
import { type Check, same } from "./check.ts";

export function scriptChecks(): readonly Check[] {
  return [
    { what: "launches", run: launches },
    { what: "a script that runs", run: running },
    { what: "how a script ends", run: endings },
    { what: "what a script has of the environment", run: environments },
  ];
}

function launches(): void {
  const told = (policy: unknown, path: string): unknown => {
    const found = launchOf(policy, path);
    return found.ok ? found.value : found.problem.code;
  };
  const interpreters = { ".py": ["/p", "-I"], ".gz": ["/g"], ".tar.gz": ["/t"], undefined: ["/u"] };
  const exec = { interpreters, environment: ["A"] };
  same("an interpreter", told({ exec }, "/x/a.py"), { command: ["/p", "-I"], environment: ["A"] });
  same("the longest extension", told({ exec: { interpreters } }, "/x/a.tar.gz"), {
    ...{ command: ["/t"], environment: [] },
  });
  for (const odd of [
    ...[{}, { interpreters: [] }, { interpreters: { ".py": [] } }, { interpreters: { ".py": [1] } }],
    ...[{ interpreters: { ".py": ["/p", 1] } }, { interpreters: { ".py": "/p" } }, null, "exec"],
  ])
    same(`no interpreter in ${JSON.stringify(odd)}`, told({ exec: odd }, "/x/a.py"), "no-interpreter");
  for (const policy of [undefined, null, "policy", [], {}])
    same(`no policy in ${JSON.stringify(policy)}`, told(policy, "/x/a.py"), "no-interpreter");
  same("no interpreter for it", told({ exec }, "/x/a.sh"), "no-interpreter");
  same("environment", told({ exec: { interpreters, environment: ["A", 1] } }, "/x/a.py"), {
    ...{ command: ["/p", "-I"], environment: [] },
  });
}

const SHELL: Launch = { command: ["/bin/sh", "-f"], environment: [] };

interface Ran {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

async function run(script: string, launch: Launch = SHELL): Promise<Ran> {
  const [out, err]: [Uint8Array[], Uint8Array[]] = [[], []];
  const output = { out: (one: Uint8Array) => void out.push(one), err: (one: Uint8Array) => void err.push(one) };
  const code = await runScript({ name: "a.sh", bytes: Buffer.from(script) }, launch, output);
  const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString();
  return { code, out: textOf(out).split("\n").slice(0, -1), err: textOf(err) };
}

async function running(): Promise<void> {
  const { code, out, err } = await run(
    'echo "$0"; echo "$#$-"; stat -c %a "$0" "$(dirname "$0")" .; ls -A | wc -l; cat | wc -c; pwd; echo no >&2; touch left',
  );
  const [file = "", flags = "", own, folder, work, files, input, at = ""] = out;
  same(
    "its name and its flags",
    [file.endsWith("/script/a.sh"), flags.startsWith("0"), flags.includes("f")],
    [...[true, true, true]],
  );
  same("read alone, in a folder that takes nothing", [own, folder, work], ["400", "500", "700"]);
  same("an empty folder, and no input", [files, input], ["0", "0"]);
  same("beside each other", dirname(at), dirname(dirname(file)));
  same("what it wrote", [code, err], [0, "no\n"]);
  same("nothing is left", existsSync(dirname(at)), false);
}

async function endings(): Promise<void> {
  for (const [script, code] of [
    ["exit 0", 0],
    ["exit 7", 7],
    ["kill -KILL $$", 137],
    ["kill -TERM $$", 143],
  ] as const)
    same(script, (await run(script)).code, code);
  const none = { command: ["/nowhere/interpreter"], environment: [] };
  same("no program", await run("exit 0", none).then(String, (error: NodeJS.ErrnoException) => error.code), "ENOENT");
}

async function environments(): Promise<void> {
  const secret = "PORTCULLIS_SESSION_SECRET";
  const given = { HOST_LISTED: "1", HOST_OTHER: "2", [secret]: "00".repeat(32) };
  Object.assign(process.env, given);
  try {
    const environment = ["HOST_LISTED", "HOST_ABSENT", secret];
    const { out } = await run("env", { command: ["/bin/sh"], environment });
    const names = new Map(out.map((line) => [line.split("=")[0] ?? "", line]));
    same("listed", names.get("HOST_LISTED"), "HOST_LISTED=1");
    same(
      "others",
      ["HOST_OTHER", "HOST_ABSENT", "HOME", secret].filter((name) => names.has(name)),
      [],
    );
    same("PATH", names.get("PATH"), `PATH=${process.env["PATH"]}`);
  } finally {
    for (const name of Object.keys(given)) delete process.env[name];
  }
}
