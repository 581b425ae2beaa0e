/** The import rules of the design: which package and which room may know which, and who may know the machine. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, importsOf, root, show } from "./import-graph.ts";

/**
 * The packages of the compiler, each with its rooms: every one may import what stands before it, and of its own package the
 * rooms before. `""` is the package's own folder. Rooms in one list do not know each other.
 */
const PACKAGES: readonly { readonly folder: string; readonly rooms: readonly (readonly string[])[] }[] = [
  {
    folder: "rego",
    rooms: [
      ["diagnostics"],
      ["value"],
      ["syntax"],
      ["analyze"],
      ["plan"],
      ["optimize"],
      ["wasm"],
      ["bugs"],
      ["bundle"],
      ["signing"],
      ["pipeline"],
      ["testing"],
      [""],
    ],
  },
  { folder: "documents", rooms: [[""]] },
  {
    folder: "governance",
    rooms: [["library"], ["sources"], ["model"], ["lower"], ["checks"], [""], ["testing"], ["review", "editor"]],
  },
  {
    folder: "enforcement",
    rooms: [
      ["http", "state"],
      ["serving", "gateway", "execution"],
    ],
  },
  { folder: "cli", rooms: [[""]] },
  { folder: "", rooms: [[""]] },
];

interface Place {
  readonly package: string;
  readonly room: string;
  /** Ranks of the package, and of the room in it. */
  readonly ranks: readonly [number, number];
}

/** `undefined` for a file in a folder that the table does not have. */
function placeOf(path: string): Place | undefined {
  const [, second = "", third = ""] = path.split("/");
  const name = PACKAGES.some(({ folder }) => folder === second) ? second : "";
  const index = PACKAGES.findIndex(({ folder }) => folder === name);
  const { rooms } = PACKAGES[index] as (typeof PACKAGES)[number];
  const named = rooms.flat().includes(third) ? third : "";
  const rank = rooms.findIndex((alike) => alike.includes(named));
  return rank < 0 ? undefined : { package: name, room: named, ranks: [index, rank] };
}

/** Whether a file may import another of the compiler. */
function mayImport(from: Place, to: Place): boolean {
  if (from.package === to.package) return from.room === to.room || to.ranks[1] < from.ranks[1];
  // The rooms that hold agents know the runtime and documents alone.
  if (from.package === "enforcement") return to.package === "documents";
  return to.ranks[0] < from.ranks[0];
}

/** Folders and files of the runtime. `host` is what crosses to builtins, `operate` what a service does with a policy. */
const runtimeFolders = [
  ...["platform", "errors", "options", "host", "json", "abi", "encode", "decode", "evaluate", "history", "facts"],
  ...["governance", "policy", "observe", "trust", "load", "operate", "testing"],
  ...["index", "node"],
];
/** Folders of them that are part of the package. */
const runtimeRooms = runtimeFolders.filter((name) => existsSync(join(root, "runtime", name)));

/**
 * Files of the runtime that others take without passing the room's `index.ts`: what a page fetches when it is needed would else be
 * fetched at once, as bundlers keep a file of names together with all that it names.
 */
const TAKEN_ONE_BY_ONE = /^runtime\/(host\/|encode\/json-text\.ts$)/;
// The runtime library of modules is AssemblyScript, a program of its own; what builds the packages looks at all of them.
const files = [...filesBelow("compiler"), ...filesBelow("runtime")].filter(
  (f) => !f.startsWith("compiler/rego/wasm/rtlib/") && !f.startsWith("compiler/build/"),
);
const imports = files.flatMap(importsOf);

describe("import rules", () => {
  it("sees the sources", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.some((i) => i.target === "binaryen")).toBe(true);
  });

  it("lets nothing import what builds the packages", () => {
    expect(show(imports.filter((i) => i.target.startsWith("compiler/build/")))).toEqual([]);
  });

  it("has no folder in compiler/ that the rules do not know", () => {
    const folders = (path: string): string[] =>
      readdirSync(join(root, path), { withFileTypes: true })
        .filter((e) => e.isDirectory() && !["build", "decisions", "bin", "dist", "node_modules"].includes(e.name))
        .map((e) => e.name);
    expect(folders("compiler").sort()).toEqual(PACKAGES.flatMap(({ folder }) => folder || []).sort());
    for (const { folder, rooms } of PACKAGES.filter((p) => p.folder !== "" && p.rooms.flat().length > 1))
      expect(folders(`compiler/${folder}`).sort()).toEqual(
        rooms
          .flat()
          .filter((room) => room !== "")
          .sort(),
      );
  });

  it("lets a package and a room import only what stands before them", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!file.startsWith("compiler/") || !target.startsWith("compiler/")) return false;
      const [from, to] = [placeOf(file), placeOf(target)];
      return from === undefined || to === undefined || !mayImport(from, to);
    });
    expect(show(wrong)).toEqual([]);
  });

  it("has a README and an index.ts in every room", () => {
    const rooms = PACKAGES.filter(({ folder }) => folder !== "").flatMap(({ folder, rooms: of }) =>
      of.flat().map((room) => ["compiler", folder, room].filter((part) => part !== "").join("/")),
    );
    // A program is entered by `main.ts`, and what needs Node by `runtime/node.ts`.
    const lacks = (room: string): string[] =>
      (["compiler/cli", "runtime/node"].includes(room) ? ["README.md"] : ["README.md", "index.ts"]).filter(
        (file) => !existsSync(join(root, room, file)),
      );
    expect(runtimeRooms.length).toBeGreaterThan(10);
    rooms.push(...runtimeRooms.map((room) => `runtime/${room}`));
    expect(rooms.flatMap((room) => lacks(room).map((file) => `${room}/${file}`))).toEqual([]);
  });

  it("enters a room by its index.ts", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!file.startsWith("compiler/") || !target.startsWith("compiler/")) return false;
      const [from, to] = [placeOf(file), placeOf(target)];
      if (from === undefined || to === undefined) return true;
      if (from.package === to.package && (from.room === to.room || to.room === "")) return false;
      const door = ["compiler", to.package, to.room, "index.ts"].filter((part) => part !== "").join("/");
      return target !== door && target !== "compiler/documents/node.ts";
    });
    expect(show(wrong)).toEqual([]);
  });

  it("names another package by its name, and a room of the same one by its path", () => {
    const texts = files
      .filter((f) => f.startsWith("compiler/"))
      .flatMap((file) =>
        [...readFileSync(join(root, file), "utf8").matchAll(/from "(@portcullis\/(\w+)[^"]*|\.\.?\/[^"]*)"/g)].map(
          ([, specifier = "", name]) => ({ file, specifier, name }),
        ),
      );
    const wrong = texts.filter(({ file, specifier, name }) => {
      if (name !== undefined) return placeOf(file)?.package === name;
      return placeOf(join(dirname(file), specifier))?.package !== placeOf(file)?.package;
    });
    expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  it("lets Rego know of the runtime what a module and it agree on, but for tests and queries, and documents nothing", () => {
    const known: Readonly<Record<string, RegExp>> = { rego: /^@portcullis\/runtime\/(abi|trust)$/, documents: /^$/ };
    const evaluates = /^compiler\/rego\/(testing\/|(test|query)\.ts$)/;
    const wrong = imports.filter(({ file, target }) => {
      if (!file.startsWith("compiler/") || !target.startsWith("@portcullis/runtime")) return false;
      return !evaluates.test(file) && !(known[placeOf(file)?.package ?? ""] ?? /./).test(target);
    });
    expect(show(wrong)).toEqual([]);
    expect(imports.some((i) => evaluates.test(i.file) && i.target === "@portcullis/runtime")).toBe(true);
  });

  it("keeps the runtime free of the compiler, of builtins, and of every package", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("runtime/") &&
        !/^runtime\/(agents|builtins|redis)\//.test(file) &&
        (!target.startsWith("runtime/") || target.startsWith("runtime/builtins/")) &&
        !(/^runtime\/node(\.ts|\/)/.test(file) && target.startsWith("node:")),
    );
    expect(show(wrong)).toEqual([]);
  });

  it("lets a folder of the runtime need only what stands to its left", () => {
    // Types may be named in both directions: they are gone before anything runs.
    const folderOf = (path: string): string => path.split("/").slice(1, 2).join().replace(/\.ts$/, "");
    const left = (path: string): number => runtimeFolders.indexOf(folderOf(path));
    const own = (path: string): boolean =>
      path.startsWith("runtime/") && !/^runtime\/(agents|builtins|redis)\//.test(path);
    const inside = imports.filter((i) => own(i.file) && own(i.target));
    expect(inside.map((i) => folderOf(i.file)).filter((folder) => !runtimeFolders.includes(folder))).toEqual([]);
    expect(show(inside.filter((i) => !i.typesOnly && left(i.target) > left(i.file)))).toEqual([]);
  });

  it("enters a room of the runtime by its index.ts, but for what is taken one by one, or fetched when it is needed", () => {
    const roomOf = (path: string): string => /^runtime\/(\w+)\//.exec(path)?.[1] ?? "";
    const wrong = imports.filter(({ file, target, isDynamic }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      if (to === "" || from === to || ["agents", "builtins", "redis"].includes(from) || isDynamic) return false;
      // What the package promises is one list, of files.
      if (["runtime/index.ts", "runtime/node.ts"].includes(file)) return false;
      return target !== `runtime/${to}/index.ts` && !TAKEN_ONE_BY_ONE.test(target);
    });
    expect(show(wrong)).toEqual([]);
    for (const part of ["host/", "encode/json-text.ts"])
      expect(
        imports.some(({ file, target }) => roomOf(file) !== roomOf(target) && target.startsWith(`runtime/${part}`)),
      ).toBe(true);
  });

  it("lets builtins know of the runtime what crosses to them, and the packages that they declare", () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, "runtime/builtins/package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    const packageOf = (target: string): string => target.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? target;
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("runtime/builtins/") &&
        !target.startsWith("runtime/builtins/") &&
        target !== "@portcullis/runtime/host" &&
        !Object.hasOwn(dependencies, packageOf(target)),
    );
    expect(show(wrong)).toEqual([]);
  });

  it("lets adapters of SDKs know the runtime alone: no SDK is needed to load one", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("runtime/agents/") && !target.startsWith("runtime/agents/") && target !== "@portcullis/runtime",
    );
    expect(show(wrong)).toEqual([]);
    expect(imports.some(({ file }) => file === "runtime/agents/admission.ts")).toBe(true);
  });

  it("lets the store in a Redis know the runtime alone: its caller brings the client", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("runtime/redis/") && !target.startsWith("runtime/redis/") && target !== "@portcullis/runtime",
    );
    expect(show(wrong)).toEqual([]);
    expect(imports.some(({ file }) => file === "runtime/redis/index.ts")).toBe(true);
  });

  it("lets the command line know the builtins, and no other package: the caller of an engine brings them", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("compiler/") && target.startsWith("@portcullis/builtins") && placeOf(file)?.package !== "cli",
    );
    expect(show(wrong)).toEqual([]);
  });

  it("imports binaryen in one file", () => {
    const wrong = imports.filter((i) => i.target === "binaryen" && i.file !== "compiler/rego/wasm/module-text.ts");
    expect(show(wrong)).toEqual([]);
  });

  it("imports node: modules only on the host's side: the command line, enforcement, signing, and the two node.ts", () => {
    const allowed =
      /^(compiler\/(cli|enforcement|rego\/signing)\/|compiler\/documents\/node\.ts$|runtime\/node(\.ts$|\/))/;
    const wrong = imports.filter(({ file, target }) => target.startsWith("node:") && !allowed.test(file));
    expect(show(wrong)).toEqual([]);
  });
});
