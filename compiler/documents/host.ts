/**
 * The compiler's only way to files. Stages take a Host; the command line gives one over the file system, tests one
 * over a Map, a browser whatever it has. There is no clock here: nothing the compiler writes may depend on time.
 */
export interface Host {
  /** Every regular file below `dir`, as paths relative to it with `/`, in any order; throws when `dir` is not a folder. */
  listFiles(dir: string): readonly string[];
  /** The bytes of `dir/path`; throws when it cannot be read. */
  readFile(dir: string, path: string): Uint8Array;
}
