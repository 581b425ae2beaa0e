/** The VS Code extension, with an editor that notes what it is asked: it starts our server, and says so when it cannot. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const home = fileURLToPath(new URL("../../../editors/vscode/", import.meta.url));
const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
const real = createRequire(import.meta.url);

interface Started {
  readonly options: { command?: string; module?: string; args: string[] };
  readonly documents: readonly { pattern?: string; language?: string }[];
}

/** Runs the extension in an editor with these settings; what it started, said and registered. */
async function activated(command: string, folders: readonly string[], fails = false) {
  const started: Started[] = [];
  const said: string[] = [];
  const commands = new Map<string, () => Promise<void>>();
  let stopped = 0;
  class LanguageClient {
    private readonly client: Started;
    constructor(
      _id: string,
      _name: string,
      options: Started["options"],
      of: { documentSelector: Started["documents"] },
    ) {
      this.client = { options, documents: of.documentSelector };
    }
    async start() {
      if (fails) throw new Error("spawn portcullis ENOENT");
      started.push(this.client);
    }
    async stop() {
      stopped++;
    }
  }
  const editor = {
    workspace: {
      getConfiguration: () => ({ get: () => command }),
      workspaceFolders: folders.map((fsPath) => ({ uri: { fsPath } })),
    },
    window: { showErrorMessage: (text: string) => said.push(text) },
    commands: { registerCommand: (name: string, run: () => Promise<void>) => commands.set(name, run) },
  };
  const modules: { readonly [name: string]: unknown } = {
    vscode: editor,
    "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } },
  };
  const module = { exports: {} as { activate(context: unknown): Promise<void>; deactivate(): Promise<void> } };
  const code = readFileSync(join(home, manifest.main), "utf8");
  new Function("require", "module", code)((name: string) => modules[name] ?? real(name), module);
  await module.exports.activate({ subscriptions: [] });
  return { started, said, commands, stopped: () => stopped, deactivate: module.exports.deactivate };
}

let folder = "";
beforeAll(() => {
  folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-vscode-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the VS Code extension", () => {
  it("starts the program of the settings, of the workspace, or of the PATH", async () => {
    expect((await activated("/opt/portcullis", [folder])).started[0]?.options).toMatchObject({
      command: "/opt/portcullis",
      args: ["lsp", "--stdio"],
    });
    expect((await activated("", [folder])).started[0]?.options.command).toBe("portcullis");
    const bin = join(folder, "node_modules/@portcullis/compiler/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "portcullis.js"), "");
    expect((await activated("", [folder])).started[0]?.options).toMatchObject({
      module: join(bin, "portcullis.js"),
      args: ["lsp"],
    });
  });

  it("says what to do when the server does not start, and starts it again when asked", async () => {
    const failed = await activated("", [], true);
    // First: an editor shows the beginning of a message.
    expect(failed.said).toEqual([
      expect.stringMatching(/^Install Portcullis \(npm install -D @portcullis\/compiler\)/),
    ]);
    const running = await activated("portcullis", []);
    await running.commands.get("portcullis.restart")?.();
    expect([running.started.length, running.stopped()]).toEqual([2, 1]);
    await running.deactivate();
    expect(running.stopped()).toBe(2);
  });

  it("names files that are there, and runs nothing of a workspace that is not trusted", () => {
    expect(existsSync(join(home, manifest.main))).toBe(true);
    for (const { configuration } of manifest.contributes.languages)
      expect(JSON.parse(readFileSync(join(home, configuration), "utf8"))).toHaveProperty("brackets");
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe(false);
  });
});
