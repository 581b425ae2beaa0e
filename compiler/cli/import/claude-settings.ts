/**
 * `permissions` of Claude Code's settings → roles, a lane and a registry of tools with their arguments. What a draft allows, the
 * settings allow: where a denial, or a question that no member can say, cuts into what is allowed, what is allowed is left out.
 */

import { parseCommandPattern } from "@portcullis/governance/model";
import { isJsonObject } from "@portcullis/rego/value";
import { deniedFile, fileDenials, isAskedAbout, isWrapper, READ_BY, SEARCHING } from "./denied-files.ts";
import { type Draft, type LeftOut, type Written, yamlFile } from "./draft.ts";
import {
  type CommandRule,
  commandRule,
  type Effect,
  isAbout,
  isElsewhere,
  namesMany,
  overlap,
  type PermissionRule,
  placeOf,
  readRules,
  within,
} from "./permission-rules.ts";
import { protectedFiles, WRITING } from "./protected-files.ts";

const LANE = "CODE";
const ROLE = "CODER";

type Arguments = { readonly [name: string]: Written };

/** Tools that take a file: the argument that names it, and the others. */
const FILE_TOOLS: { readonly [tool: string]: readonly [file: string, others: Arguments] } = {
  Read: ["file_path", optional({ offset: "integer", limit: "integer", pages: "string" })],
  Edit: ["file_path", { old_string: {}, new_string: {}, ...optional({ replace_all: "boolean" }) }],
  Write: ["file_path", { content: {} }],
  MultiEdit: ["file_path", { edits: { type: "list" } }],
  NotebookRead: ["notebook_path", optional({ cell_id: "string" })],
  NotebookEdit: [
    "notebook_path",
    { new_source: {}, ...optional({ cell_id: "string", cell_type: "string", edit_mode: "string" }) },
  ],
};

/** What a command takes besides. */
const BASH_OTHERS = { description: "string", timeout: "integer", run_in_background: "boolean" };

/** Tools that run every command, besides `Bash`. */
const RUNNING: readonly string[] = ["Monitor", "PowerShell"];

const EVERY_COMMAND =
  "it is every command, and some are asked about whatever is allowed: name those that are needed for `Bash`";

/** Whether a rule is about a tool of another name, too. All of `Edit` is that tool alone, where it is allowed. */
function isOfAnother({ tool, effect, of }: PermissionRule, name: string): boolean {
  if (tool === "Edit" && WRITING.includes(name)) return effect !== "allow" || of !== undefined;
  return (
    tool === "Read" && (effect === "deny" || (effect === "ask" && SEARCHING.includes(name))) && READ_BY.includes(name)
  );
}

/**
 * `settings`: the file's value; `isProjects`: it stands in a project's `.claude`. What is not a rule is left out; `undefined` for settings
 * without permissions.
 */
export function importClaudeSettings(settings: unknown, isProjects: boolean): Draft | undefined {
  const permissions = isJsonObject(settings) ? settings["permissions"] : undefined;
  if (typeof permissions !== "object" || permissions === null) return undefined;
  const { rules, leftOut } = readRules(permissions, isProjects);
  const importer = new RuleImporter(rules, leftOut);
  const tools = importer.tools();
  const heading =
    "Drafted from the permissions of Claude Code's settings. What they do not name is asked of a person there, and denied here.";
  return {
    files: [
      yamlFile("claude-settings/roles.yaml", "Drafted: name the role as your hosts do.", {
        roles: [{ role_id: ROLE, class: "agent", privileges: { lanes: [LANE] } }],
      }),
      yamlFile("claude-settings/lanes.yaml", "Drafted: one lane for all that a session does.", {
        lanes: [
          {
            lane_id: LANE,
            allowed_callers: { roles: [ROLE] },
            allowed_actions: { tools: tools.map(({ tool_name }) => tool_name) },
          },
        ],
      }),
      yamlFile("claude-settings/tool_registry.yaml", heading, { tools }, leftOut),
      ...protectedFiles(tools.map(({ tool_name }) => tool_name)),
    ],
    kept: rules.length - importer.dropped.size,
    leftOut,
  };
}

interface ToolRow {
  readonly [key: string]: Written | undefined;
  readonly tool_name: string;
}

class RuleImporter {
  /** Rules that did not come over. */
  readonly dropped = new Set<PermissionRule>();

  constructor(
    private readonly rules: readonly PermissionRule[],
    private readonly leftOut: LeftOut[],
  ) {}

  tools(): ToolRow[] {
    const many = this.rules.filter((rule) => namesMany(rule) && rule.effect !== "deny");
    this.drop(many, "it names many tools: list a server's with `--from mcp`");
    const names = this.rules
      .filter((rule) => !namesMany(rule))
      .flatMap(({ tool }) => (tool === "Edit" ? WRITING : [tool]));
    return [...new Set(names)].sort().flatMap((tool) => this.tool(tool) ?? []);
  }

  /** `undefined`: no call of the tool is allowed, or none that can be said. */
  private tool(tool: string): ToolRow | undefined {
    const own = this.rules.filter((rule) => isAbout(rule, tool) || isOfAnother(rule, tool));
    const row = { tool_name: tool, enabled: true, implementation_status: "implemented" };
    const every = (effect: Effect) => own.some((rule) => rule.effect === effect && rule.of === undefined);
    if (every("deny")) return { ...row, enabled: false };
    const some = own.filter((rule) => rule.of !== undefined);
    if (tool === "Bash") return this.bash(row, every, some);
    const allows = own.filter(({ effect }) => effect === "allow");
    const named = own.filter((rule) => rule.tool === tool);
    if (RUNNING.includes(tool))
      return this.drop(
        named.filter(({ effect }) => effect !== "deny"),
        EVERY_COMMAND,
      );
    if (Object.hasOwn(FILE_TOOLS, tool)) return this.file(row, every, some, allows);
    if (SEARCHING.includes(tool)) return this.search(row, every, own);
    if (tool === "WebFetch" && !every("allow") && !every("ask")) return this.fetch(row, some);
    if (some.length > 0) {
      const denied = some.filter(({ effect }) => effect !== "allow");
      if (denied.length > 0 || !(every("allow") || every("ask")))
        return this.drop(named, `no argument of \`${tool}\` is known that its rules could be about`);
      this.drop(some, "the tool is allowed whole");
    }
    return every("ask") ? { ...row, approval: "required" } : every("allow") ? row : undefined;
  }

  private bash(row: ToolRow, every: (effect: Effect) => boolean, some: readonly PermissionRule[]): ToolRow | undefined {
    const named = some.map((rule) => ({ rule, command: commandRule(rule.of as string) }));
    const of = (effect: Effect) => named.filter(({ rule }) => rule.effect === effect);
    const [denied, asked] = [of("deny"), of("ask")];
    const files = fileDenials(this.rules);
    if (every("ask")) {
      if (files.length > 0)
        return this.drop(
          this.rules.filter((rule) => rule.tool === "Bash" && rule.effect !== "deny"),
          `\`${files[0]?.text}\` is about files that commands open, too: name the commands that are needed`,
        );
      if (denied.length > 0)
        return this.drop(
          this.rules.filter(({ tool }) => tool === "Bash"),
          "every command but some cannot be said: name the commands that are needed",
        );
      return { ...row, approval: "required" };
    }
    this.drop(
      this.rules.filter(({ tool, effect, of }) => tool === "Bash" && effect === "allow" && of === undefined),
      EVERY_COMMAND,
    );
    const said = asked.flatMap(({ rule, command }) => {
      const pattern = this.pattern(rule, command, denied);
      return pattern === undefined ? [] : [{ rule, pattern }];
    });
    const asking = said.map(({ pattern }) => pattern);
    // What a question without a pattern is about must not be allowed without a person.
    const unsaid = asked.filter(({ rule }) => !said.some((one) => one.rule === rule));
    const allowing = of("allow").flatMap(
      ({ rule, command }) => this.pattern(rule, command, [...denied, ...unsaid]) ?? [],
    );
    if (allowing.length + asking.length === 0) return undefined;
    // `Bash(run_in_background:true)` is about an argument: a draft without it denies it.
    const isCut = (name: string) =>
      some.some(({ effect, of = "" }) => effect !== "allow" && of.split(":")[0]?.trim() === name && of.includes(":"));
    return {
      ...row,
      arguments: {
        command: {
          ...(allowing.length > 0 ? { commands: allowing } : {}),
          ...(asking.length > 0 ? { approval: { commands: asking } } : {}),
        },
        ...optional(Object.fromEntries(Object.entries(BASH_OTHERS).filter(([name]) => !isCut(name)))),
      },
    };
  }

  private pattern(
    rule: PermissionRule,
    command: CommandRule,
    cutting: readonly { rule: PermissionRule; command: CommandRule }[],
  ): string | undefined {
    if (command.isWider)
      return this.drop([rule], "a `*` within a command, or a quote within a word, stands for what no pattern says");
    const text = [...command.written, ...(command.isOpen ? ["**"] : [])].join(" ");
    const parsed = parseCommandPattern(text);
    if ("problem" in parsed) return this.drop([rule], `as a pattern it ${parsed.problem}`);
    const [program] = command.words;
    if (rule.effect === "allow" && isAskedAbout(command))
      return this.drop([rule], `what \`${program}\` runs, or opens elsewhere, is asked about whatever a rule says`);
    const file = deniedFile(command, fileDenials(this.rules));
    if (file !== undefined) return this.drop([rule], `${cuts(file)} files that it may open`);
    const covering = cutting.find((one) => within(command, one.command));
    if (covering !== undefined)
      return this.drop([rule], `it is ${covering.rule.effect === "ask" ? "asked about" : "denied"} by another rule`);
    const cut = isWrapper(program) ? cutting[0] : cutting.find((one) => overlap(command, one.command));
    if (cut !== undefined) return this.drop([rule], `${cuts(cut.rule)} a part of it, and no pattern says all but that`);
    return text;
  }

  private file(
    row: ToolRow,
    every: (effect: Effect) => boolean,
    some: readonly PermissionRule[],
    allows: readonly PermissionRule[],
  ): ToolRow | undefined {
    const [file, others] = FILE_TOOLS[row.tool_name] as (typeof FILE_TOOLS)[string];
    // What nothing allows is denied, whatever is denied besides.
    if (!every("ask") && !some.some(({ effect }) => effect === "ask") && allows.length === 0) return undefined;
    const except: string[] = [];
    for (const rule of some.filter(({ effect }) => effect === "deny")) {
      const place = placeOf(rule);
      if (place === undefined && !isElsewhere(rule.of as string))
        return this.drop(
          some.filter((one) => one.tool !== "Read" || row.tool_name === "Read"),
          `\`${rule.text}\` denies files that are not one place below the project's root`,
        );
      if (place !== undefined) except.push(place);
    }
    const unsaid = some.find(
      (rule) => rule.effect === "ask" && !isElsewhere(rule.of as string) && placeOf(rule) === undefined,
    );
    const below = (effect: Effect): string[] => {
      if (effect === "allow" && unsaid !== undefined && !every("ask"))
        return this.drop(allows, `${cuts(unsaid)} files that are not one place, which may be among these`) ?? [];
      if (every(effect)) return ["."];
      return some
        .filter((rule) => rule.effect === effect)
        .flatMap((rule) => {
          const place = placeOf(rule);
          return place ?? this.drop([rule], "it names files that are not one place below the project's root") ?? [];
        });
    };
    const [allowed, asked] = [below("allow"), below("ask")];
    const paths = (places: readonly string[], others: readonly string[]) => ({
      paths: { below: [...new Set(places)], ...(others.length > 0 ? { except: [...new Set(others)] } : {}) },
    });
    // `except` is compared with letters in any case, and `below` is not: no spelling of what needs a person is allowed without one.
    const alone = asked.includes(".") ? except : [...except, ...asked];
    if (allowed.length + asked.length === 0) return undefined;
    return {
      ...row,
      arguments: {
        [file]: {
          ...(allowed.length > 0 ? paths(allowed, alone) : {}),
          ...(asked.length > 0 ? { approval: paths(asked, except) } : {}),
        },
        ...others,
      },
    };
  }

  /** Tools that look into folders are allowed in the whole project, or not at all. */
  private search(
    row: ToolRow,
    every: (effect: Effect) => boolean,
    own: readonly PermissionRule[],
  ): ToolRow | undefined {
    const mine = own.filter((rule) => rule.tool !== "Read");
    const cutting = own.filter(({ effect, of }) => effect !== "allow" && of !== undefined);
    const inside = cutting.find(({ of = "" }) => !isElsewhere(of));
    if (inside !== undefined) return this.drop(mine, `${cuts(inside)} files that it may find in a folder`);
    const named = mine.filter(({ of, effect }) => of !== undefined && effect !== "deny");
    this.drop(named, "its path does not tell what it finds below");
    const isAsked = own.some(({ effect, of }) => effect === "ask" && of === undefined);
    if (!isAsked && !every("allow")) return undefined;
    const asked = { ...row, ...(isAsked ? { approval: "required" } : {}) };
    if (cutting.length === 0) return asked;
    // A pattern of `Glob` may lead out of the project.
    if (row.tool_name === "Glob")
      return this.drop(mine, `${cuts(cutting[0] as PermissionRule)} files that it may find`);
    const others: Arguments =
      row.tool_name === "LS"
        ? optional({ ignore: "list" })
        : {
            pattern: {},
            ...optional({
              glob: "string",
              type: "string",
              output_mode: "string",
              head_limit: "number",
              offset: "number",
            }),
            ...optional({ multiline: "boolean", "-i": "boolean", "-n": "boolean" }),
            ...optional({ "-A": "number", "-B": "number", "-C": "number" }),
          };
    return { ...asked, arguments: { path: { required: false, paths: { below: ["."] } }, ...others } };
  }

  private fetch(row: ToolRow, some: readonly PermissionRule[]): ToolRow | undefined {
    const hostOf = ({ of }: PermissionRule) =>
      /^domain:((?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/.exec(of as string)?.[1];
    const denied = some.filter(({ effect }) => effect === "deny");
    const hosts = (effect: Effect, cutting: readonly PermissionRule[]) =>
      some
        .filter((rule) => rule.effect === effect)
        .flatMap((rule) => {
          const host = hostOf(rule);
          if (host === undefined) return this.drop([rule], "it names no domain") ?? [];
          const cut = cutting.find((one) => touches(host, hostOf(one)));
          if (cut !== undefined)
            return this.drop([rule], `${cuts(cut)} it, or a part of it, and no entry says all but that`) ?? [];
          return { rule, host };
        });
    const asking = hosts("ask", denied);
    const unsaid = some.filter((rule) => rule.effect === "ask" && !asking.some((one) => one.rule === rule));
    const allowed = hosts("allow", [...denied, ...unsaid]).map(({ host }) => host);
    const asked = asking.map(({ host }) => host);
    if (allowed.length + asked.length === 0) return undefined;
    return {
      ...row,
      arguments: {
        url: {
          ...(allowed.length > 0 ? { hosts: allowed } : {}),
          ...(asked.length > 0 ? { approval: { hosts: asked } } : {}),
        },
        ...optional({ prompt: "string" }),
      },
    };
  }

  private drop(rules: readonly PermissionRule[], why: string): undefined {
    for (const rule of rules) {
      const what = `${rule.effect} \`${rule.text}\``;
      // A rule about several tools is told once.
      if (!this.dropped.has(rule)) this.leftOut.push({ what, why });
      this.dropped.add(rule);
    }
    return undefined;
  }
}

function cuts({ text, effect }: PermissionRule): string {
  return `\`${text}\` ${effect === "ask" ? "asks about" : "denies"}`;
}

/** Whether a URL may be of both. A denial that cannot be read may be of any. */
function touches(host: string, denied: string | undefined): boolean {
  if (denied === undefined) return true;
  const below = (one: string) => one.replace(/^\*/, "");
  return host === denied || below(host).endsWith(below(denied)) || below(denied).endsWith(below(host));
}

function optional(types: { readonly [name: string]: string }): Arguments {
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => [
      name,
      type === "string" ? { required: false } : { type, required: false },
    ]),
  );
}
