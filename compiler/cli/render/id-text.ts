/** An id among other words: one that could be read as more than itself, such as `a, b`, is quoted. */
export function idText(id: string): string {
  return /^[^\s,;:=()"'`<>]+$/.test(id) ? id : JSON.stringify(id);
}
