/**
 * Cases of other engines that want what OPA does not say, each with the reason. Where there is an `opa` on the PATH, the run asks
 * it: it has to answer as we do. A case that starts to pass fails the run.
 */

const SHADOWED = "a rule has the name of an operator's function, `lt` or `mul`, and the operator calls the rule in OPA";
const DATA = "OPA refuses a rule where data has a value";
const V1 =
  "is no Rego v1, and has no form in it: rules and variables called `input` or `data`, an import twice, a body without `if`";
const ELSE = "OPA refuses `else` behind a rule with a variable in its head";
const UNUSED = "OPA refuses a variable of `every` that nothing reads";
const CONFLICT = "a function contradicts itself: in OPA that ends the evaluation, here it is undefined";
const IMPORTS = "an import wins over the rule of its name in OPA: the case says that it may be wrong";
const IMPORTED = "OPA takes `import rego.v1` beside imports of `future.keywords`";
const NOT = "`not [p]` of an undefined `p` is undefined in OPA: the case says that it differs";
const SOME = "`some x in` of a scalar is undefined in OPA";
const QUERY = "OPA takes several expressions without a `;` between them, and none behind the last";
const ORDER = "a rule may stand below those that read it";
const JWT = "OPA knows no constraint `sub`, and answers undefined";
const REGEX = "OPA finds an empty match before each byte, of which `\u00e9` has two";
const KEYS = "an empty list and an empty set are one key in JSON";
const NULL_KEY = "the key `null` in the YAML of the case is read as an empty text";
const INDEX = "`1.0` is the index 1 in OPA";
const INTEGER = "a whole number is an integer in OPA, however it is written and large it is";
const NUMBERS = "sums and quotients are exact decimals in OPA, and binary here";
const UNITS = "units and exponents that OPA does not know: ronna, deci, `1e9ns`";
const CALENDAR = "OPA writes no zeros behind the last digit of a second";
const UUID = "OPA tells no time of these versions";
const TEXTS = "Go's texts: to look for an empty text is an error, and a sigma at the end is written as any other";
const VERBS =
  "Go's verbs: digits behind the point, octal without a prefix, and in the text what has no argument or is no verb";
const OTHER_TYPE = "`semver.is_valid` takes any value in OPA, and is false for a number";
const TYPES = "types refuse it before anything runs: OPA's compiler has them, this engine has none";
const BUILTIN_ERROR =
  "wants the error of a builtin: in OPA what calls it is undefined, but with --strict-builtin-errors";

const of = (suite: string, reason: string, ...notes: readonly string[]): (readonly [string, string])[] =>
  notes.map((note) => [`${suite}/${note}`, reason]);

const INTERPRETER = "regorus/interpreter";
const MACHINE = "regorus/rvm";
const CPP = "rego-cpp";

export const exceptions: ReadonlyMap<string, string> = new Map([
  ...of(INTERPRETER, SHADOWED, "arithmetic/tests/numeric-comparisons", "basic_001/arithmetic/basic"),
  ...of(INTERPRETER, DATA, "data/tests/overriding refs in data produces no error"),
  ...of(
    INTERPRETER,
    V1,
    "data/tests/rule named data",
    "rego.v1/tests/allowed future after future",
    "rego.v1/tests/data-shadowed-by-rule",
    "rego.v1/tests/input-shadowed-by-rule",
    "rego.v1/tests/input-shadowed-by-local-var",
    "rego.v1/tests/data-shadowed-by-local-var",
    "snippets/snippets/snippet6",
  ),
  ...of(INTERPRETER, CONFLICT, "import/tests/overload error does not leak callee module imports"),
  ...of(INTERPRETER, IMPORTS, "import/tests/import alias shadowed by rule"),
  ...of(
    INTERPRETER,
    IMPORTED,
    "rego.v1/tests/conflict future after rego.v1",
    "rego.v1/tests/conflict rego after future",
  ),
  ...of(INTERPRETER, NOT, "negation/tests/not-more-undefined-OPA-INCOMPATIBLE"),
  ...of(
    INTERPRETER,
    SOME,
    "some/tests/invalid-null",
    "some/tests/invalid-bool",
    "some/tests/invalid-number",
    "some/tests/invalid-string",
  ),
  ...of(INTERPRETER, QUERY, "engine/tests/trailing expressions in query"),
  ...of(INTERPRETER, ORDER, "unary/tests/unary expr on non literals produces an error"),
  ...of(INTERPRETER, KEYS, "builtins/comparison/tests/order"),
  ...of(INTERPRETER, NULL_KEY, "loop/basic/early return"),
  ...of(INTERPRETER, INDEX, "builtins/objects/json.patch/array-form path rejects an integral float index"),
  ...of(INTERPRETER, INTEGER, "builtins/numbers/mod/integral float too large to convert"),
  ...of(INTERPRETER, NUMBERS, "arithmetic/tests/float-precision"),
  ...of(INTERPRETER, UNITS, "builtins/units/parse/all", "builtins/units/parse_bytes/all"),
  ...of(
    INTERPRETER,
    CALENDAR,
    "builtins/time/format/without-timezone-and-format",
    "builtins/time/format/with-timezone-and-no-format",
  ),
  ...of(INTERPRETER, UUID, "builtins/uuid/parse/others"),
  ...of(INTERPRETER, TEXTS, "builtins/strings/indexof/base", "builtins/strings/lower/unicode string"),
  ...of(INTERPRETER, VERBS, "builtins/strings/sprintf/numeric formatting", "builtins/strings/sprintf/error cases"),
  ...of(INTERPRETER, OTHER_TYPE, "builtins/semver/is_valid/semver.compare wrong arg1 type"),
  ...of(
    INTERPRETER,
    TYPES,
    "builtins/aggregates/count/all",
    "builtins/aggregates/max/all",
    "builtins/aggregates/min/all",
    "builtins/aggregates/product/all",
    "builtins/aggregates/sort/all",
    "builtins/aggregates/sum/all",
    "builtins/arrays/concat/all",
    "builtins/arrays/reverse/all",
    "builtins/arrays/slice/all",
    "builtins/numbers/abs/abs",
    "builtins/numbers/add/add",
    "builtins/numbers/ceil/ceil",
    "builtins/numbers/div/div",
    "builtins/numbers/floor/floor",
    "builtins/numbers/intn/undefined",
    "builtins/numbers/mod/mod",
    "builtins/numbers/mod/undefined",
    "builtins/numbers/mul/mul",
    "builtins/numbers/range/numbers.range",
    "builtins/numbers/round/round",
    "builtins/numbers/sub/sub",
    "builtins/objects/json.patch/reject malformed operation and path types",
    "builtins/strings/concat/undefined-delimiter",
    "builtins/strings/concat/undefined-collection",
    "builtins/strings/contains/undefined-string",
    "builtins/strings/contains/undefined-substring",
    "builtins/strings/endswith/undefined-string",
    "builtins/strings/endswith/undefined-substring",
    "builtins/strings/indexof/undefined-string",
    "builtins/strings/indexof/undefined-substring",
    "compr/array-vs-compr-tricky/case3-compr",
    "compr/array-vs-compr-tricky/case6-compr",
    "data/tests/numbers are converted to string as needed when indexing data",
    "snippets/snippets/snippet5",
    "some/tests/array",
  ),
  ...of(
    INTERPRETER,
    BUILTIN_ERROR,
    "builtins/numbers/div/div by zero",
    "builtins/numbers/mod/by-zero",
    "builtins/numbers/mod/float numerator",
    "builtins/numbers/mod/float denom",
    "builtins/numbers/range/non integer start",
    "builtins/numbers/range/non integer start (2)",
    "builtins/strings/format_int/invalid-base",
    "builtins/units/parse/space",
    "builtins/units/parse_bytes/space",
    "nonstrict/tests/builtin error in strict mode",
    "nonstrict/tests/count of null error in strict mode",
  ),
  ...of(MACHINE, ELSE, "partial_object_rules/partial_object_else_short_circuits_after_success"),
  ...of(
    MACHINE,
    UNUSED,
    "loops_and_quantifiers/every_keyval_over_object_succeeds",
    "loops_and_quantifiers/every_keyval_over_object_fails",
    "loops_and_quantifiers/every_over_empty_object_is_vacuously_true",
  ),
  ...of(MACHINE, IMPORTS, "imports/import_alias_shadowed_by_rule"),
  ...of(
    MACHINE,
    TYPES,
    "destructuring/object_destructuring_function_param",
    "destructuring/destructuring_with_literals",
    "destructuring/function_mixed_destructuring_and_simple",
    "local_chained_access/undefined_field_on_existing_rule",
  ),
  ...of(CPP, QUERY, "bugs/regocpp/bug110"),
  ...of(CPP, JWT, "builtins/regocpp/jwt-sub-match", "builtins/regocpp/jwt-sub-mismatch"),
  ...of(CPP, REGEX, "builtins/regocpp/regex-zero-match-utf8"),
  ...of(
    CPP,
    UNITS,
    "builtins/regocpp/time-parse-duration-exponent-superset",
    "builtins/regocpp/units-parse-deci-superset",
  ),
  ...of(CPP, VERBS, "builtins/regocpp/sprintf-unknown-verb-star", "builtins/regocpp/sprintf-unknown-verb-n"),
  ...of(CPP, BUILTIN_ERROR, "core/regocpp/not-builtin-error-strict"),
]);
