/** Hooks in settings of agent hosts: what is kept of them, and what would let calls pass. */
import { commandLine, type HookCommand } from "../../../compiler/cli/init/agent-hosts/command.ts";
import {
  type JsonHooks,
  readJsonHooks,
  settingsOf,
  writeJsonHook,
} from "../../../compiler/cli/init/agent-hosts/json-hooks.ts";
import { type Check, same } from "./check.ts";

export function checks(): readonly Check[] {
  return [
    { what: "hooks that are written", run: written },
    { what: "what is kept of settings", run: kept },
    { what: "settings that nothing can be added to", run: refused },
    { what: "hooks that are read", run: read },
    { what: "hooks that would let calls pass", run: problems },
    { what: "hooks of several events", run: apart },
    { what: "ends of calls", run: ends },
    { what: "indentation", run: indents },
  ];
}

const COMMAND: HookCommand = {
  ...{ timeout: "/usr/bin/timeout", seconds: 9, node: "/usr/bin/node", program: "/opt/portcullis.js" },
  words: ["--policy", "/p"],
};
const HOOK = { command: COMMAND, seconds: 10, hearsEnds: false };
const ENTRY = { type: "command", onFailure: "block", command: commandLine(COMMAND), timeout: 10_000 };
const UNREAD = "not every hook at `Pre` is one that can be read: a host may then take nothing of the file";
const SHAPE: JsonHooks = {
  events: ["Pre"],
  end: "Post",
  perSecond: 1000,
  more: { onFailure: "block" },
  disabled: ({ off }) => (off === true ? "it is off" : undefined),
};
const BOTH: JsonHooks = { ...SHAPE, events: ["Pre", "Skill"] };
type Json = Readonly<Record<string, unknown>>;
const write = (settings: object | string | undefined, shape = SHAPE): Json =>
  JSON.parse(writeJsonHook(shape, typeof settings === "object" ? JSON.stringify(settings) : settings, HOOK)) as Json;
const pre = (...groups: readonly unknown[]): object => ({ hooks: { Pre: groups } });

function written(): void {
  for (const text of [undefined, "", " \n", "{}", '{"hooks":{}}', '{"hooks":null}'])
    same(`into ${text}`, write(text), pre({ hooks: [ENTRY] }));
  same("at both", write(undefined, BOTH), { hooks: { Pre: [{ hooks: [ENTRY] }], Skill: [{ hooks: [ENTRY] }] } });
}

function kept(): void {
  const other = { type: "command", command: "/bin/true" };
  const stop = [{ hooks: [other] }];
  same(
    "everything else",
    write({ model: "m", hooks: { Stop: stop, Pre: [{ matcher: "Bash", hooks: [other] }] }, z: 1 }),
    {
      model: "m",
      hooks: { Stop: stop, Pre: [{ matcher: "Bash", hooks: [other] }, { hooks: [ENTRY] }] },
      z: 1,
    },
  );
  const ours = { ...ENTRY, command: "node /x/portcullis.js hook --policy /old" };
  same("not an old one", write(pre({ hooks: [ours] })), pre({ hooks: [ENTRY] }));
  same(
    "not one beside others",
    write(pre({ matcher: "a", hooks: [other, ours, 7, other] })),
    pre({ matcher: "a", hooks: [other, other] }, { hooks: [ENTRY] }),
  );
  const odd = [{ matcher: "b" }, { hooks: "x" }, { hooks: [7, { command: 7 }] }, null, 7, ["hooks"]];
  same("what is not known", write(pre(...odd)), pre(...odd, { hooks: [ENTRY] }));
  same("another event's", write({ hooks: { Skill: [{ hooks: [ours] }] } }), {
    hooks: { Skill: [{ hooks: [ours] }], Pre: [{ hooks: [ENTRY] }] },
  });
}

function refused(): void {
  const failing = (run: () => unknown): string => {
    try {
      run();
      return "taken";
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const value of [{}, "x", 7, null, true])
    same(
      JSON.stringify(value),
      failing(() => write({ hooks: { Pre: value } })),
      "`hooks.Pre` of the settings is no list",
    );
  for (const value of [[], "x", 7, true])
    same(
      JSON.stringify(value),
      failing(() => write({ hooks: value })),
      "`hooks` of the settings is no object",
    );
  for (const text of ["[]", "null", "7", '"x"'])
    same(
      text,
      failing(() => settingsOf(text)),
      "the settings are no object",
    );
  for (const text of ["{", "// mine\n{}", '{"a":1,"a":2}', "x"])
    same(text, failing(() => settingsOf(text)).startsWith("the settings are not JSON as it should be: "), true);
  same("settings", settingsOf('{"a":[1]}'), { a: [1] });
}

const found = (settings: object | string, shape = SHAPE) =>
  readJsonHooks(shape, typeof settings === "string" ? settings : JSON.stringify(settings));

function read(): void {
  const whole = { hooks: [HOOK], problems: [] };
  same("as it is written", found(writeJsonHook(SHAPE, undefined, HOOK)), whole);
  same("at both", found(writeJsonHook(BOTH, undefined, HOOK), BOTH), whole);
  for (const matcher of ["", "*"]) same("for all", found(pre({ matcher, hooks: [ENTRY] })), whole);
  const other = { type: "command", command: "/bin/true" };
  const mixed = found(pre({ hooks: [other] }, 7, { hooks: [7, other, ENTRY] }, { hooks: {} }));
  same("among others", mixed, { ...whole, problems: [UNREAD] });
  for (const settings of [{}, { hooks: {} }, { hooks: [] }, { hooks: { Pre: {} } }, pre({ hooks: [other] })])
    same("none", found(settings), { hooks: [], problems: [] });
  same("two", found(pre({ hooks: [ENTRY, ENTRY] })).hooks.length, 2);
  for (const timeout of ["10", undefined, null]) {
    const [hook] = found(pre({ hooks: [{ ...ENTRY, timeout }] })).hooks;
    same(`a time of ${timeout}`, hook?.seconds, 0);
  }
  same("no event", readJsonHooks({ ...SHAPE, events: [] }, "{}"), { hooks: [], problems: [] });
}

function problems(): void {
  const of = (settings: object | string): readonly string[] => found(settings).problems;
  const entry = (more: Json): readonly string[] => of(pre({ hooks: [{ ...ENTRY, ...more }] }));
  same("switched off", of({ off: true, ...pre({ hooks: [ENTRY] }) }), ["it is off"]);
  same("for some", of(pre({ matcher: "Bash", hooks: [ENTRY] })), ['the hook is asked for "Bash" alone']);
  same("for odd ones", of(pre({ matcher: 7, hooks: [ENTRY] })), [UNREAD, "the hook is asked for 7 alone"]);
  for (const group of [
    {},
    [],
    { hooks: {} },
    { hooks: [{}] },
    { hooks: [{ type: "command" }] },
    { hooks: [{ command: "x" }] },
    { hooks: [null] },
    { hooks: [{ type: "prompt" }, { type: "command" }] },
    null,
  ])
    same("that cannot be read", of(pre(group)), [UNREAD]);
  same("of another type", of(pre({ hooks: [{ type: "prompt" }] })), []);
  for (const [more, expected] of [
    [{ onFailure: "allow" }, 'the hook\'s `onFailure` is "allow", not "block"'],
    [{ onFailure: undefined }, 'the hook\'s `onFailure` is undefined, not "block"'],
    [{ type: "http" }, 'the hook\'s `type` is "http", not "command"'],
    [{ async: true }, "the hook's `async` is true, not undefined"],
  ] as const)
    same(expected, entry(more), [expected]);
  const line = `${ENTRY.command} `;
  const changed = found(pre({ hooks: [{ ...ENTRY, command: line }] }));
  same("another line", changed, { hooks: [], problems: [`the hook is not as \`init --for\` writes it: ${line}`] });
  for (const text of ["[]", "{", "// a"]) same(text, [found(text).hooks.length, found(text).problems.length], [0, 1]);
}

/** All events have to ask, and the same hook. */
function apart(): void {
  const words = "another hook, or none, is asked at `Skill`";
  const entry = { hooks: [ENTRY] };
  const longer = { hooks: [{ ...ENTRY, timeout: 11_000 }] };
  for (const [hooks, expected] of [
    [{ Pre: [entry], Skill: [entry] }, []],
    [{ Pre: [entry] }, [words]],
    [{ Skill: [entry] }, [words]],
    [{ Pre: [entry], Skill: [longer] }, [words]],
    [{}, []],
  ] as const)
    same(JSON.stringify(Object.keys(hooks)), found({ hooks }, BOTH).problems, expected);
  const odd = { hooks: [{ ...ENTRY, async: true }] };
  same("of the second", found({ hooks: { Pre: [entry], Skill: [odd] } }, BOTH).problems, [
    "the hook's `async` is true, not undefined",
  ]);
  same("off comes first", found({ off: true, hooks: { Pre: [odd] } }, BOTH).problems, [
    "it is off",
    "the hook's `async` is true, not undefined",
    words,
  ]);
}

/** The end of a call is told to the same hook, where a limit waits for it. */
function ends(): void {
  const hearing = { ...HOOK, hearsEnds: true };
  const other = { hooks: [{ type: "command", command: "/bin/true" }] };
  const entry = { hooks: [ENTRY] };
  const longer = { hooks: [{ ...ENTRY, timeout: 11_000 }] };
  const text = writeJsonHook(SHAPE, undefined, hearing);
  same("at the end, too", JSON.parse(text), { hooks: { Pre: [entry], Post: [entry] } });
  same("as it is written", found(text), { hooks: [hearing], problems: [] });
  same("no more", JSON.parse(writeJsonHook(SHAPE, text, HOOK)), { hooks: { Pre: [entry], Post: [] } });
  const beside = JSON.stringify({ hooks: { Post: [other] } });
  for (const [hook, posts] of [
    [hearing, [other, entry]],
    [HOOK, [other]],
  ] as const)
    same("beside another's", JSON.parse(writeJsonHook(SHAPE, beside, hook)), { hooks: { Post: posts, Pre: [entry] } });
  for (const [hooks, hears, problems] of [
    [{ Pre: [entry], Post: [other] }, false, []],
    [{ Pre: [entry], Post: [7] }, false, []],
    [{ Pre: [entry], Post: [longer] }, true, ["another hook is told at `Post`"]],
    [{ Pre: [entry], Post: [{ matcher: "Bash", ...entry }] }, true, ['the hook is asked for "Bash" alone']],
  ] as const)
    same(
      JSON.stringify(Object.keys(hooks)),
      [found({ hooks }).hooks[0]?.hearsEnds, found({ hooks }).problems],
      [hears, problems],
    );
  same("of none", found({ hooks: { Post: [entry] } }), { hooks: [], problems: ["another hook is told at `Post`"] });
}

function indents(): void {
  const indentOf = (text: string | undefined): string =>
    /^\{\n(\s+)"[^\n]*\n/.exec(writeJsonHook(SHAPE, text, HOOK))?.[1] ?? "none";
  for (const [text, expected] of [
    [undefined, "  "],
    ["{}", "  "],
    ['{\n    "a": 1\n}', "    "],
    ['{\r\n\t"a": 1\r\n}', "\t"],
    ['{ "a": 1 }', "  "],
  ] as const)
    same(JSON.stringify(text), indentOf(text), expected);
  same("an end of line", writeJsonHook(SHAPE, undefined, HOOK).endsWith("}\n"), true);
}
