/** An editor for tests: a real client of the protocol, and the language server as a process of its own, on standard input and output. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type ClientCapabilities,
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ExitNotification,
  FileChangeType,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type ProtocolRequestType,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
  type WorkspaceEdit,
  WorkspaceFoldersRequest,
} from "vscode-languageserver-protocol/node";

const bin = fileURLToPath(new URL("../../../compiler/bin/portcullis.js", import.meta.url));
export const isBuilt = existsSync(fileURLToPath(new URL("../../../compiler/dist/bin/start.js", import.meta.url)));

const CAPABILITIES: ClientCapabilities = {
  workspace: {
    workspaceFolders: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
    didChangeWatchedFiles: { dynamicRegistration: true },
  },
};

export class Editor {
  readonly connection: ProtocolConnection;
  initialized: InitializeResult | undefined;
  private readonly process: ChildProcess;
  private readonly folders: readonly string[];
  private readonly texts = new Map<string, { text: string; version: number }>();
  private readonly diagnostics = new Map<string, Diagnostic[]>();
  private waiting: (() => void)[] = [];
  private errors = "";

  private constructor(folders: readonly string[]) {
    this.folders = folders;
    this.process = spawn(process.execPath, [bin, "lsp", "--stdio"], { stdio: "pipe" });
    this.process.stderr?.on("data", (chunk) => (this.errors += String(chunk)));
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.process.stdout as never),
      new StreamMessageWriter(this.process.stdin as never),
    );
    this.connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.diagnostics.set(uri, diagnostics);
      for (const wake of this.waiting.splice(0)) wake();
    });
    this.connection.onRequest(WorkspaceFoldersRequest.type, () => this.workspaceFolders());
    this.connection.onRequest(RegistrationRequest.type, () => {});
    this.connection.listen();
  }

  static async start(folders: readonly string[], capabilities = CAPABILITIES): Promise<Editor> {
    const editor = new Editor(folders);
    editor.initialized = await editor.connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities,
      workspaceFolders: editor.workspaceFolders(),
    });
    await editor.connection.sendNotification(InitializedNotification.type, {});
    return editor;
  }

  /** Ends the server as an editor does; gives its exit code and what it wrote to standard error. */
  async stop(): Promise<{ code: number | null; errors: string }> {
    const ended = new Promise<number | null>((resolve) => this.process.once("exit", resolve));
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    const code = await ended;
    this.connection.dispose();
    return { code, errors: this.errors };
  }

  private workspaceFolders() {
    return this.folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder }));
  }

  uri(path: string): string {
    return pathToFileURL(path.startsWith("/") ? path : join(this.folders[0] as string, path)).href;
  }

  async open(path: string, text: string, languageId = "yaml"): Promise<void> {
    const uri = this.uri(path);
    this.texts.set(uri, { text, version: 1 });
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId, version: 1, text },
    });
  }

  /** Replaces one piece of an open document by another, as typing does. */
  async edit(path: string, before: string, after: string): Promise<void> {
    const uri = this.uri(path);
    const { text, version } = this.texts.get(uri) as { text: string; version: number };
    const at = text.indexOf(before);
    if (at < 0) throw new Error(`${path} has no ${JSON.stringify(before)}`);
    const range = { start: positionIn(text, at), end: positionIn(text, at + before.length) };
    this.texts.set(uri, { text: text.slice(0, at) + after + text.slice(at + before.length), version: version + 1 });
    await this.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: version + 1 },
      contentChanges: [{ range, text: after }],
    });
  }

  async close(path: string): Promise<void> {
    const textDocument = { uri: this.uri(path) };
    this.texts.delete(textDocument.uri);
    await this.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument });
  }

  async save(path: string): Promise<void> {
    await this.connection.sendNotification(DidSaveTextDocumentNotification.type, {
      textDocument: { uri: this.uri(path) },
    });
  }

  async fileChanged(path: string, type: FileChangeType = FileChangeType.Changed): Promise<void> {
    await this.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: this.uri(path), type }],
    });
  }

  text(path: string): string {
    return this.texts.get(this.uri(path))?.text ?? "";
  }

  /** The position behind `before` where it is followed by `after`, in an open document. */
  at(path: string, before: string, after = ""): { textDocument: { uri: string }; position: Position } {
    const uri = this.uri(path);
    const text = this.texts.get(uri)?.text ?? "";
    const start = text.indexOf(before + after);
    if (start < 0) throw new Error(`${path} has no ${JSON.stringify(before + after)}`);
    return { textDocument: { uri }, position: positionIn(text, start + before.length) };
  }

  ask<P, R, Part, Options>(type: ProtocolRequestType<P, R, Part, void, Options>, params: P): Promise<R> {
    return this.connection.sendRequest(type as never, params as never);
  }

  /** What the document was told last, once it is as wished. */
  async found(path: string, isWished: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]> {
    const uri = this.uri(path);
    const last = (): readonly Diagnostic[] => this.diagnostics.get(uri) ?? [];
    await this.until(
      () => isWished(last()),
      () => `${path} was told ${JSON.stringify(last().map((d) => [d.code, d.message]))}`,
    );
    return last();
  }

  /** Waits until no document has findings. */
  async quiet(): Promise<void> {
    const loud = (): string[] => [...this.diagnostics].filter(([, found]) => found.length > 0).map(([uri]) => uri);
    await this.until(
      () => loud().length === 0,
      () => `findings in ${loud()}`,
    );
  }

  private async until(isSo: () => boolean, instead: () => string): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`${instead()} ${this.errors}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }
}

/** Has code, anywhere. */
export const has =
  (code: string) =>
  (found: readonly Diagnostic[]): boolean =>
    found.some((d) => d.code === code);
export const none = (found: readonly Diagnostic[]): boolean => found.length === 0;

/** Lines end with `\n`, `\r\n` or `\r`, and columns count UTF-16 units. */
export function positionIn(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length - 1, character: (lines.at(-1) as string).length };
}

function offsetIn(text: string, { line, character }: Position): number {
  const ends = [...text.matchAll(/\r\n|\n|\r/g)].map((m) => m.index + m[0].length);
  return (line === 0 ? 0 : (ends[line - 1] as number)) + character;
}

/** A text with edits, each in the text as it was. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  const sorted = [...edits].sort((a, b) => offsetIn(text, b.range.start) - offsetIn(text, a.range.start));
  return sorted.reduce(
    (now, { range, newText }) =>
      now.slice(0, offsetIn(now, range.start)) + newText + now.slice(offsetIn(now, range.end)),
    text,
  );
}

/** The edits of a workspace edit by URI, and the files that it moves. */
export function partsOf(edit: WorkspaceEdit | null): {
  edits: Map<string, readonly TextEdit[]>;
  moves: Map<string, string>;
} {
  const edits = new Map<string, readonly TextEdit[]>(Object.entries(edit?.changes ?? {}));
  const moves = new Map<string, string>();
  for (const change of edit?.documentChanges ?? []) {
    if ("textDocument" in change) edits.set(change.textDocument.uri, change.edits as TextEdit[]);
    else if (change.kind === "rename") moves.set(change.oldUri, change.newUri);
  }
  return { edits, moves };
}
