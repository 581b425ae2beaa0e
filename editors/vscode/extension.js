// Starts `portcullis lsp` for the policy sets of a workspace. Everything else is the server's.

const { existsSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** Documents that may belong to a policy set; the server leaves the others alone. */
const DOCUMENTS = [
  { scheme: "file", language: "rego" },
  { scheme: "file", pattern: "**/*.{yaml,yml,toml,rego}" },
  { scheme: "file", pattern: "**/AGENT_*.md" },
  { scheme: "file", pattern: "**/data.json" },
];

let client;

/** The program of the settings, of the workspace, or of the PATH, in this order. */
function serverOptions() {
  const configured = vscode.workspace.getConfiguration("portcullis").get("command");
  const args = ["lsp", "--stdio"];
  if (configured) return { command: configured, args, transport: TransportKind.stdio };
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const script = join(folder.uri.fsPath, "node_modules/@portcullis/compiler/bin/portcullis.js");
    if (existsSync(script)) return { module: script, args: ["lsp"], transport: TransportKind.stdio };
  }
  return { command: "portcullis", args, transport: TransportKind.stdio };
}

async function start() {
  client = new LanguageClient("portcullis", "Portcullis", serverOptions(), { documentSelector: DOCUMENTS });
  try {
    await client.start();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    vscode.window.showErrorMessage(
      `Install Portcullis (npm install -D @portcullis/compiler), or name it in the setting portcullis.command. It does not start: ${said}`,
    );
  }
}

async function stop() {
  await client?.stop();
  client = undefined;
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("portcullis.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
