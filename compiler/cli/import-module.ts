/**
 * `import()` of what is known only while we run: an author's own module, by its URL. In a file of its own, since V8 refuses it
 * in a script whose code it was given: the packed program has in its place what it is called with (see packed-program.ts).
 */

export const importModule = (url: string): Promise<unknown> => import(url);
