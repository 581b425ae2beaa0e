/** A policy set as the decisions see it, `data.portcullis.policy`. */
export interface PolicyData {
  readonly settings: {
    readonly lineage: { readonly depth: "positional" | "reported"; readonly max_chain: number };
  };
  readonly roles: { readonly [role: string]: { readonly class?: string } };
  readonly lanes: {
    readonly [lane: string]: {
      readonly roles: { readonly [role: string]: true };
      readonly tools: { readonly [tool: string]: true };
    };
  };
  readonly tools: { readonly [tool: string]: { readonly enabled?: boolean; readonly implementation_status?: string } };
  /** Keys have `_` for every `-`. */
  readonly agents: {
    readonly [agent: string]: {
      readonly type: 0 | 1 | 2 | null;
      readonly allowlist: readonly string[];
      readonly delegated: readonly string[];
    };
  };
  readonly manifests: {
    readonly [type: string]: {
      readonly can_spawn: { readonly [type: string]: true };
      readonly max_spawn_depth: number;
    };
  };
  readonly handoff: {
    readonly required_fields: readonly string[];
    readonly forbidden_mutations: { readonly [name: string]: true };
    readonly placeholders: { readonly [word: string]: true };
  };
  readonly exec: {
    readonly modes: { readonly [mode: string]: true };
    readonly inline_modes: { readonly [mode: string]: true };
    readonly staging_root: string | null;
    readonly script_extensions: readonly string[];
    readonly hat_lifetime_seconds: number | null;
  };
}
