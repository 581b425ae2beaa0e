/** A file that a host lists, before it is read. */
export interface Listed {
  readonly dir: string;
  readonly path: string;
  /** `dir` and `path` together: the file's name in every message, and its key in the order of files. */
  readonly name: string;
}
