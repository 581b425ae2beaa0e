/**
 * Tells the editor what is wrong: soon after each change what is found while typing, and after a pause what the whole compiler
 * finds. A document whose findings are gone is told so, once.
 */

import type { Diagnostic as Finding } from "@portcullis/rego/diagnostics";
import type { Connection, Diagnostic } from "vscode-languageserver";
import { applyWaivers } from "../../checks/index.ts";
import { diagnosticsByUri } from "./diagnostics.ts";
import { beyondOf, together } from "./findings.ts";
import type { PolicySet } from "./policy-set.ts";
import type { Workspace } from "./workspace.ts";

/** Keys that follow each other faster are one change. */
const DEBOUNCE_MS = 15;
/** The whole compiler takes longer than a key: it waits for a pause in typing. */
const PAUSE_MS = 700;

export class Publisher {
  private readonly connection: Connection;
  private readonly workspace: Workspace;
  /** What each document was told last, as text. */
  private readonly told = new Map<string, string>();
  /** What only the whole compiler found, for each set. */
  private readonly beyond = new Map<PolicySet, readonly Finding[]>();
  private soon: NodeJS.Timeout | undefined;
  private later: NodeJS.Timeout | undefined;
  private generation = 0;

  constructor(connection: Connection, workspace: Workspace) {
    this.connection = connection;
    this.workspace = workspace;
  }

  /** Something changed. */
  changed(): void {
    this.generation++;
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.publish();
    }, DEBOUNCE_MS);
    clearTimeout(this.later);
    this.later = setTimeout(() => void this.checkAll(), PAUSE_MS);
  }

  /** The findings of a document as it was told them last. */
  toldOf(uri: string): readonly Diagnostic[] {
    return JSON.parse(this.told.get(uri) ?? "[]") as Diagnostic[];
  }

  stop(): void {
    clearTimeout(this.soon);
    clearTimeout(this.later);
  }

  private publish(): void {
    const now = new Map<string, Diagnostic[]>();
    for (const set of this.workspace.all()) {
      const beyond = (this.beyond.get(set) ?? []).filter((finding) => set.isCurrent(finding));
      for (const [uri, found] of this.guarded(set, beyond)) now.set(uri, [...(now.get(uri) ?? []), ...found]);
    }
    for (const uri of this.told.keys()) if (!now.has(uri)) now.set(uri, []);
    for (const [uri, diagnostics] of now) {
      const text = JSON.stringify(diagnostics);
      if (this.told.get(uri) === text || (!this.told.has(uri) && diagnostics.length === 0)) continue;
      if (diagnostics.length === 0) this.told.delete(uri);
      else this.told.set(uri, text);
      void this.connection.sendDiagnostics({ uri, diagnostics });
    }
  }

  /** A fault of ours in one set must not silence the others, nor end the server. */
  private guarded(set: PolicySet, beyond: readonly Finding[]): Map<string, Diagnostic[]> {
    try {
      return diagnosticsByUri(this.workspace, set, together(notWaived(set), beyond));
    } catch (error) {
      this.fault(set, error);
      return new Map();
    }
  }

  private async checkAll(): Promise<void> {
    const { generation } = this;
    for (const set of this.workspace.all()) {
      try {
        const quick = set.findings().diagnostics;
        const { diagnostics } = await this.workspace.machine.check({ host: set, dirs: [set.dir] });
        // A newer edit has made this result old.
        if (generation !== this.generation) return;
        this.beyond.set(set, beyondOf(diagnostics, quick));
      } catch (error) {
        this.fault(set, error);
      }
    }
    for (const set of this.beyond.keys()) if (!this.workspace.all().includes(set)) this.beyond.delete(set);
    this.publish();
  }

  private fault(set: PolicySet, error: unknown): void {
    this.connection.console.error(
      `checking ${set.dir} failed, which is a fault of portcullis: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** What is wrong with the waivers themselves comes with the whole check. */
function notWaived(set: PolicySet): Finding[] {
  const { model, diagnostics } = set.findings();
  const left = applyWaivers(diagnostics, model.settings.waive, today()).diagnostics;
  return diagnostics.filter((finding) => left.includes(finding));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
