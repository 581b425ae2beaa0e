/** The result of loading: every recognised file, parsed, by kind. The order does not depend on the host's listing. */

import type { SourceNode } from "@portcullis/documents";
import type { RegoVersion, SourceFile } from "@portcullis/rego/diagnostics";
import type { AgentHeader } from "./agent-header.ts";
import type { SourceKind } from "./recognise.ts";

/** Where a file stands: `dir` as the user named it, `path` below it. */
export interface Origin {
  readonly file: SourceFile;
  readonly dir: string;
  readonly path: string;
}

/** A YAML, TOML or JSON file. INVARIANT: `root` satisfies the schema of the set that it is in. */
export interface SourceDocument extends Origin {
  readonly root: SourceNode;
}

/** An instruction file: its statements about the agent, not yet checked. */
export interface AgentSource extends Origin {
  /** The `<NAME>` of `AGENT_<NAME>.md`, unchecked. */
  readonly name: string;
  readonly frontMatter: SourceNode | undefined;
  readonly bodyStart: number;
  readonly header: AgentHeader;
}

export interface RegoSource extends Origin {
  /** `*_test.rego`: rules that `portcullis test` runs, never part of a bundle. */
  readonly test: boolean;
}

export interface DataSource extends SourceDocument {
  /** The folders of `path`: where in `data` the document goes. */
  readonly prefix: readonly string[];
}

export interface SampleSource extends SourceDocument {
  /** Whether the contract must accept the record. */
  readonly positive: boolean;
}

export interface SourceSet {
  readonly settings: readonly SourceDocument[];
  readonly roles: readonly SourceDocument[];
  readonly lanes: readonly SourceDocument[];
  readonly tools: readonly SourceDocument[];
  readonly approvers: readonly SourceDocument[];
  readonly agents: readonly AgentSource[];
  readonly manifests: readonly SourceDocument[];
  readonly handoff: readonly SourceDocument[];
  readonly exec: readonly SourceDocument[];
  readonly limits: readonly SourceDocument[];
  readonly rego: readonly RegoSource[];
  /** What the manifests of all folders say of Rego as a whole; 1 where they differ, or one has none. */
  readonly regoVersion: RegoVersion;
  readonly data: readonly DataSource[];
  readonly tests: readonly SourceDocument[];
  readonly samples: readonly SampleSource[];
  /**
   * Kinds of which a file was found and could not be used. Rules must not conclude from what is missing there: a role
   * that no file defines is a finding only if every roles file was read.
   */
  readonly broken: ReadonlySet<SourceKind>;
}

/** A file that is not a policy source, and why, for `--verbose`. */
export interface Note {
  readonly path: string;
  readonly message: string;
}
