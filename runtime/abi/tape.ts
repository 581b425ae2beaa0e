/**
 * The tape: how the runtime hands an arbitrary JavaScript value to a module without JSON text. It writes a flat sequence of
 * little-endian words at the heap pointer, and `portcullis_tape_read` (rtlib/tape.ts) builds the value from it.
 * Plain `export const` lines, since AssemblyScript imports this file too.
 *
 *   item      word 0          then
 *   null      TAG_NULL
 *   boolean   TAG_BOOLEAN     value (0 or 1)
 *   integer   TAPE_INT        i32
 *   number    TAG_NUMBER      length in bytes, JSON number text, padded to a word
 *   string    TAG_STRING      length in bytes, UTF-8, padded to a word; the value refers to these bytes in place
 *   array     TAG_ARRAY       count, items
 *   object    TAG_OBJECT      count, key and value in turn (the last of two equal keys wins)
 *   set       TAG_SET         count, items
 */

/** A number that fits an i32; beyond the tags of values. */
export const TAPE_INT = 8;
