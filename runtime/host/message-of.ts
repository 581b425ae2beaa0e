/** What was thrown, in words. Never throws: anything can be thrown. */

export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "";
  }
}
