/** What `exec.md` takes for a target of a contract. */
import { isWritten } from "./values.ts";

/** Not `/`, not `.`, not empty; no empty segment, no `.` or `..`, no slash at the end; no slash of another system. */
export function isTarget(target: unknown): target is string {
  if (!isWritten(target) || target.includes("\\")) return false;
  const segments = (target.startsWith("/") ? target.slice(1) : target).split("/");
  return segments.every((segment) => !["", ".", ".."].includes(segment));
}
