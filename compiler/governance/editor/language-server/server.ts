/**
 * The language server: connects an editor's requests with the features, a file each. It keeps no state but the workspace and
 * what it has published.
 */

import { formatModule } from "@portcullis/rego/syntax";
import {
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { codeActions } from "./code-actions.ts";
import { completionsAt, resolveItem } from "./completion.ts";
import { hoverAt } from "./hover.ts";
import type { SetFile } from "./id-index.ts";
import { definitionsAt, referencesAt } from "./navigation.ts";
import { Publisher } from "./publisher.ts";
import { rename, renameRange } from "./rename.ts";
import { LEGEND, semanticTokens } from "./semantic-tokens.ts";
import { editBetween, offsetOf } from "./text.ts";
import { type Document, type Machine, Workspace } from "./workspace.ts";

/** Files that belong to policy sets, wherever they lie. */
const WATCHED = "**/*.{yaml,yml,toml,md,rego,json}";

interface Wishes {
  readonly watchFiles: boolean;
  readonly renameFiles: boolean;
  readonly folders: boolean;
}

export function serve(connection: Connection, machine: Machine, version: string): void {
  const workspace = new Workspace(machine);
  const documents = new TextDocuments(TextDocument);
  const publisher = new Publisher(connection, workspace);
  let client: Wishes = { watchFiles: false, renameFiles: false, folders: false };

  connection.onInitialize((params): InitializeResult => {
    client = wishesOf(params);
    const folders = params.workspaceFolders?.map((f) => f.uri) ?? (params.rootUri ? [params.rootUri] : []);
    workspace.setRoots(folders);
    return {
      serverInfo: { name: "portcullis", version },
      capabilities: {
        positionEncoding: "utf-16",
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        hoverProvider: true,
        completionProvider: { triggerCharacters: [".", '"', "[", " "], resolveProvider: true },
        definitionProvider: true,
        referencesProvider: true,
        renameProvider: { prepareProvider: true },
        codeActionProvider: { codeActionKinds: ["quickfix"] },
        documentFormattingProvider: true,
        semanticTokensProvider: { legend: LEGEND, full: true, range: false },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  let roots: string[] | undefined;
  connection.onInitialized(async () => {
    if (client.watchFiles)
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: WATCHED }] });
    void connection.client.register(DidChangeConfigurationNotification.type).catch(() => undefined);
    if (client.folders) {
      roots = (await connection.workspace.getWorkspaceFolders())?.map((f) => f.uri);
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        roots = [...(roots ?? []).filter((uri) => !removed.some((f) => f.uri === uri)), ...added.map((f) => f.uri)];
        workspace.setRoots(roots);
        publisher.changed();
      });
    }
    publisher.changed();
  });

  documents.onDidChangeContent(({ document }) => {
    workspace.setText(document.uri, document.getText());
    publisher.changed();
  });
  documents.onDidClose(({ document }) => {
    workspace.setText(document.uri, undefined);
    workspace.refresh();
    publisher.changed();
  });
  documents.onDidSave(() => {
    workspace.refresh();
    publisher.changed();
  });
  connection.onDidChangeWatchedFiles(() => {
    workspace.refresh();
    publisher.changed();
  });
  connection.onDidChangeConfiguration(() => publisher.changed());

  /** Calls a feature with the file that a request is about; `none` for a document that is not a policy source. */
  const withFile = <X>(uri: string, none: X, feature: (document: Document, file: SetFile) => X): X => {
    const document = workspace.document(uri);
    const file = document?.set.file(document.path);
    return document === undefined || file === undefined ? none : feature(document, file);
  };

  connection.onHover(({ textDocument, position }) =>
    withFile(textDocument.uri, null, (d, f) => hoverAt(d, f, offsetOf(f.read.file, position)) ?? null),
  );
  connection.onCompletion(({ textDocument, position }) =>
    withFile(textDocument.uri, [], (d, f) => completionsAt(d, f, offsetOf(f.read.file, position))),
  );
  connection.onCompletionResolve((item) => resolveItem(item, workspace.all()));
  connection.onDefinition(({ textDocument, position }) =>
    withFile(textDocument.uri, [], (d, f) => definitionsAt(workspace, d, f, offsetOf(f.read.file, position))),
  );
  connection.onReferences(({ textDocument, position, context }) =>
    withFile(textDocument.uri, [], (d, f) =>
      referencesAt(workspace, d, f, offsetOf(f.read.file, position), context.includeDeclaration),
    ),
  );
  connection.onPrepareRename(({ textDocument, position }) =>
    withFile(textDocument.uri, null, (d, f) => renameRange(d, f, offsetOf(f.read.file, position)) ?? null),
  );
  connection.onRenameRequest(({ textDocument, position, newName }) =>
    withFile(
      textDocument.uri,
      null,
      (d, f) => rename(workspace, d, f, offsetOf(f.read.file, position), newName, client.renameFiles) ?? null,
    ),
  );
  connection.onCodeAction(({ textDocument: { uri }, context }) =>
    codeActions(uri, context.diagnostics, publisher.toldOf(uri)),
  );
  connection.onDocumentFormatting(({ textDocument }) =>
    withFile(textDocument.uri, [], (_, { format, read: { file } }) => {
      const { text } = format === "rego" ? formatModule(file) : { text: undefined };
      return text === undefined ? [] : editBetween(file, text);
    }),
  );
  connection.languages.semanticTokens.on(({ textDocument }) =>
    withFile(textDocument.uri, { data: [] }, (_, { format, read }) =>
      format === "rego" ? semanticTokens(read.file) : { data: [] },
    ),
  );

  connection.onShutdown(() => publisher.stop());
  documents.listen(connection);
  connection.listen();
}

function wishesOf({ capabilities: { workspace } }: InitializeParams): Wishes {
  return {
    watchFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    renameFiles:
      workspace?.workspaceEdit?.documentChanges === true &&
      workspace.workspaceEdit.resourceOperations?.includes("rename") === true,
    folders: workspace?.workspaceFolders === true,
  };
}
