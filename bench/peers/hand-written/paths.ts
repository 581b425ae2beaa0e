/** Paths compared segment by segment: a place is a path with a slash behind every segment. */

/** The place of an absolute path that names every folder once; `undefined` for any other value. */
export function placeOf(path: unknown): string | undefined {
  if (path === "/") return "/";
  if (typeof path !== "string" || !path.startsWith("/")) return undefined;
  const place = `${path}/`;
  return place.includes("//") || place.includes("/./") || place.includes("/../") ? undefined : place;
}

/** The same for a path in which `.` and empty segments name no folder. One with `..` holds nothing. */
export function folderOf(path: string): string | undefined {
  const place = placeOf(path);
  if (place !== undefined || !path.startsWith("/")) return place;
  const named = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  return named.length === 0 ? "/" : `/${named.join("/")}/`;
}
