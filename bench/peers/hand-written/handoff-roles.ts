/** Masters and subs, where the policy names them. */

import type { PolicyTables } from "../../bundles.ts";
import { add, type Evidence, isDescribed, type Violation } from "./handoff-values.ts";
import { isObject, isWritten, type Members, trimmed } from "./text.ts";

const LAYERS = new Set<unknown>(["identity", "skill", "mcp", "tool", "mcp/tool"]);

interface Roles {
  checkAgents(found: Violation[]): void;
  isForbiddenAttempt(name: string): boolean;
  checkPaths(evidence: Evidence, found: Violation[]): void;
  checkFailure(found: Violation[]): void;
}

/** `undefined` where the policy names none: then nothing of this applies. */
export function rolesOf(handoff: PolicyTables["handoff"]): ((record: Members) => Roles) | undefined {
  if (handoff?.agents === undefined) return undefined;
  const roles = new Map(Object.entries(handoff.agents));
  const forbidden = Object.keys(handoff.forbidden_paths ?? {}).map((path) => foldersOf(path) ?? "");
  const liesIn = (path: unknown): boolean => {
    const place = foldersOf(path);
    return forbidden.some((folder) => place === undefined || place.startsWith(folder));
  };
  return (record) => {
    const [from, to] = [roles.get(record["from_agent"] as string), roles.get(record["to_agent"] as string)];
    return {
      checkAgents(found) {
        if (from === undefined && isWritten(record["from_agent"])) add(found, "AGENTS", "unknown_agent", "/from_agent");
        if (to === undefined && isWritten(record["to_agent"])) add(found, "AGENTS", "unknown_agent", "/to_agent");
        if (from !== undefined && from === to) add(found, "AGENTS", "role_boundary", "/to_agent");
      },
      isForbiddenAttempt(name) {
        if (from !== "sub") return false;
        const place = foldersOf(trimmed(name));
        return forbidden.some((f) => place === undefined || place.startsWith(f) || f.startsWith(place));
      },
      checkPaths(evidence, found) {
        const { artifacts } = record;
        if (from !== "sub" || !Array.isArray(artifacts)) return;
        artifacts.forEach((artifact, i) => {
          if (!isObject(artifact) || !isWritten(artifact["path"])) return;
          const path = artifact["path"];
          const facts: unknown = isObject(evidence) && Object.hasOwn(evidence, path) ? evidence[path] : undefined;
          const isElsewhere = isObject(facts) && Object.hasOwn(facts, "resolved") && liesIn(facts["resolved"]);
          if (liesIn(path) || isElsewhere) add(found, "MUTATIONS", "forbidden_mutation", `/artifacts/${i}/path`);
        });
      },
      checkFailure(found) {
        if (record["result"] !== "FAIL") return;
        const { failure } = record;
        const report = (part: string): void => add(found, "FAILURE", "failure_not_attributed", `/failure${part}`);
        if (!isObject(failure)) return report("");
        if (!LAYERS.has(failure["layer"])) report("/layer");
        for (const part of ["hypothesis", "patch", "result"]) if (!isDescribed(failure[part])) report(`/${part}`);
      },
    };
  };
}

/** A path as its folders, with a slash behind each; `undefined` for what leads upwards. */
function foldersOf(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  const segments = path
    .toLowerCase()
    .split(/[\\/]/)
    .filter((one) => one !== "" && one !== ".");
  if (segments.includes("..")) return undefined;
  return ["", ...segments, ""].join("/");
}
