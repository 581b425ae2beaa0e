/**
 * Where things are in the linear memory of a compiled policy, and how a value looks there. The one place for these
 * numbers: the runtime, the compiler and the AssemblyScript runtime library (rtlib) all import this file, which is
 * therefore plain `export const` lines and nothing else.
 *
 *   0      zero bytes: address 0 is "undefined", and its tag reads TAG_UNDEFINED
 *          (HEADER_FILLED is among them, and not 0 only while a module starts)
 *   16     header words (HEADER_*), written by the start function
 *   64     the null, false and true values
 *   128    free lists of the allocator, then their stash
 *   1056   the text of an abort that must not allocate
 *   1536   number values 0 .. SMALL_INT_COUNT - 1
 *   5632   data of rtlib (RTLIB_BASE)
 *   ...    static values of the policy, then its memo frame
 *   ...    heap (HEADER_HEAP_BASE)
 *
 * A value is the address of its first byte, always divisible by 8. Fields are little-endian; `u32` unless said otherwise.
 *
 *   every value   0 tag (u8)   1 flags (u8)   2 row (u16), 0 but for an object that is one   4 hash, 0 while unknown
 *   null          -
 *   boolean       8 value (0 or 1)
 *   number        8 int (i64) | with FLAG_TEXT: 8 address of the text, 12 its length in bytes
 *   string        8 length in bytes   12 address of the bytes, 0 for a symbolic string   16 intern   20 ends
 *                 1 home (u24), 0 but for strings of the policy
 *   array         8 count   12 capacity   16 address of the items
 *   object, set   8 count   12 capacity   16 address of the entries   20 address of the index or 0   24 index mask
 *
 * An entry of an object is key, value; of a set the element. The index is an open-addressed table of entry number + 1,
 * 0 for a free slot, probed from `hash(key) & mask` on; tables of at most INDEX_THRESHOLD entries have none, but for most of the
 * policy's own objects.
 * A record is an object that a rule makes with keys that are known at compile time: a copy of a static one, whose address it
 * holds in place of the index mask for as long as it has just these keys, in their order.
 * A row is an object of the input whose keys the compiler knew: `row` is the number of its keys' order, and its entries stand
 * right behind it.
 * A string is UTF-8 unless a decoder (base64, hex, urlquery) made it of other bytes. Such a string has no JSON. In a value text
 * between the module and a builtin of our runtime (HEADER_BYTES) a byte 0x80 to 0xff that begins no character is the escape
 * `\udc80` to `\udcff`, which no text has; any other way out of the module is a fault.
 * `intern` is 0 while unknown, INTERN_NONE for a string that the policy does not hold, else the address of the policy's
 * own static string of the same bytes. Static strings are unique: two different addresses are two different strings.
 * A home is an object of the policy whose keys are strings that have it for their home: a string's `home` is the number of its
 * entry there, counted from 1. Several objects of the same keys may be the home of these.
 * A symbolic string is one of a request whose bytes were not asked for. The runtime has its text, and writes length and
 * bytes when it is asked (BUILTIN_MATERIALISE): from then on it is a string like any other. It is never "", and two symbolic
 * strings of one request are never equal. `ends`, which only these have, are its first and its last character, a byte each,
 * 0 for one that is not ASCII.
 */

// Tags, in the order in which values of different types compare.
export const TAG_UNDEFINED = 0;
export const TAG_NULL = 1;
export const TAG_BOOLEAN = 2;
export const TAG_NUMBER = 3;
export const TAG_STRING = 4;
export const TAG_ARRAY = 5;
export const TAG_OBJECT = 6;
export const TAG_SET = 7;

// Flags.
/** Number: kept as decimal text, because it is no int64 or is not written as one (`1.0`, `-0`, `1e3`). */
export const FLAG_TEXT = 1;
/** Object, set: the entries are in ascending order of their keys. */
export const FLAG_SORTED = 2;
/** Object of the policy: it is the home of its keys, and has no index. */
export const FLAG_HOME = 4;

// Fields of values.
export const VALUE_TAG = 0;
export const VALUE_FLAGS = 1;
export const VALUE_ROW = 2;
export const VALUE_HASH = 4;
export const BOOLEAN_VALUE = 8;
export const NUMBER_INT = 8;
export const NUMBER_TEXT = 8;
export const NUMBER_TEXT_LENGTH = 12;
export const STRING_LENGTH = 8;
export const STRING_BYTES = 12;
export const STRING_INTERN = 16;
export const STRING_ENDS = 20;
/** Bits of the first word below `home`. */
export const HOME_SHIFT = 8;
export const COLLECTION_COUNT = 8;
export const COLLECTION_CAPACITY = 12;
export const COLLECTION_ITEMS = 16;
export const TABLE_INDEX = 20;
export const TABLE_MASK = 24;

// Sizes of values, without the parts that they point to.
export const SCALAR_SIZE = 16;
export const STRING_SIZE = 20;
export const SYMBOLIC_SIZE = 24;
export const ARRAY_SIZE = 20;
export const TABLE_SIZE = 28;
/** Where the entries of a record or row begin. */
export const RECORD_ENTRIES = 32;

/** Tables with more entries than this have an index. */
export const INDEX_THRESHOLD = 8;
export const INTERN_NONE = 1;
/** Bits of a hash below those that the intern table holds. */
export const INTERN_TAG_SHIFT = 29;

// Fixed addresses.
/** Not 0 where the host has had memory filled: by an instance of the whole module, for the one of its code that starts next. */
export const HEADER_FILLED = 12;
/**
 * Address of the intern table: addresses of static strings, which are divisible by 8, with the highest bits of their hashes in the
 * lowest three; 0 for a free slot; probed from `hash & mask` on.
 */
export const HEADER_INTERN_TABLE = 16;
export const HEADER_INTERN_MASK = 20;
/** First address after the static values: below it nothing is ever freed, and strings are unique. */
export const HEADER_STATIC_END = 24;
/** First address of the heap, the same in every instance of a module. */
export const HEADER_HEAP_BASE = 28;
/** Address and size in bytes of the memo frame of rule functions. */
export const HEADER_MEMO_FRAME = 32;
export const HEADER_MEMO_SIZE = 36;
/** Address of the table of programs of the policy's own patterns, or 0: see rtlib/builtins/regex/known.ts. */
export const HEADER_PATTERNS = 40;
/** Why the module called opa_abort: a FAULT_ code. Written before each call. */
export const HEADER_FAULT = 44;
/** The text buffer of the dump functions: 8 bytes. */
export const DUMP_BUFFER = 48;
/** Whether the text that is dumped or parsed now goes between the module and a host that writes bytes as surrogates: 0 or 1. */
export const HEADER_BYTES = 56;
/** Bytes that an evaluation makes before turns of its loops give back what they made. */
export const HEADER_RECLAIM = 60;
export const HEADER_END = 64;

export const NULL_VALUE = 64;
export const FALSE_VALUE = 80;
export const TRUE_VALUE = 96;
export const FREE_LISTS = 128;
export const FREE_LISTS_SIZE = 464;
export const FREE_LISTS_STASH = 592;
export const ABORT_TEXT = 1056;
export const ABORT_TEXT_SIZE = 480;
export const SMALL_INTS = 1536;
export const SMALL_INT_COUNT = 256;
export const RTLIB_BASE = 5632;

// Evaluation context of the OPA ABI: 16 bytes.
export const CTX_INPUT = 0;
export const CTX_DATA = 4;
export const CTX_RESULT = 8;
export const CTX_ENTRYPOINT = 12;
export const CTX_SIZE = 16;

// Faults, in HEADER_FAULT.
/** The host or the module is at fault. */
export const FAULT_INTERNAL = 0;
/** The policy has two values for one document. */
export const FAULT_CONFLICT = 1;
export const FAULT_STEPS = 2;
export const FAULT_MEMORY = 3;

/** The builtin that opa_builtin1 is asked for to write the bytes of a symbolic string, its argument. No policy's id. */
export const BUILTIN_MATERIALISE = -1;

// Hashing: see rtlib/hash.ts and compiler/rego/wasm/hash.ts, which must agree.
export const HASH_MULTIPLIER = 0x9e3779b1;
export const HASH_FINISHER = 0x85ebca6b;

// Packed static data: see compiler/rego/wasm/pack.ts.
/** Words of a block, two bits each in its head: 8 bytes. */
export const BLOCK_WORDS = 32;
export const MAX_DISTANCE = 64;
// What stands for a word; 0: the same as the one that it is compared with.
/** The same, moved: that word and the bytes between the two. */
export const OP_MOVED = 1;
/** That word and a difference, zigzag in a varint. */
export const OP_ADDED = 2;
/** The word itself. */
export const OP_LITERAL = 3;

/** Deepest nesting of a JSON text or value text that is accepted. */
export const MAX_VALUE_DEPTH = 1000;
