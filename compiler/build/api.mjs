/** The public entry points of all packages, and API Extractor over their declarations. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { CompilerState, Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** By folder: where the declarations of the package's sources lie. The compiler's are made here, the others' by the build. */
const DECLARATIONS = {
  runtime: "runtime/dist/",
  "runtime/agents": "runtime/agents/dist/",
  "runtime/builtins": "runtime/builtins/dist/",
  "runtime/redis": "runtime/redis/dist/",
  "compiler/rego": "compiler/rego/dist/",
  compiler: "out/declarations/compiler/",
};

/** Packages of which one entry point is promised, and the others are rooms for packages of the same version. */
const ROOMS = ["compiler/rego"];
/** Parts of the compiler that are not published as packages of their own. */
const PRIVATE = /(["'])@portcullis\/(documents|governance|enforcement|cli)(\/[a-z]+)?\1/g;

/** Every promised subpath of every package's `exports` that has types: `{ package: "runtime", module: "@portcullis/runtime/abi", name, file }`. */
export function publicEntries() {
  return Object.entries(DECLARATIONS).flatMap(([folder, declarations]) => {
    if (!existsSync(`${root}${folder}/package.json`)) return [];
    const { name: packageName, exports } = JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8"));
    return Object.entries(exports)
      .filter(([subpath, target]) => typeof target === "object" && (subpath === "." || !ROOMS.includes(folder)))
      .map(([subpath, { import: target, require }]) => {
        if (target === undefined || require === undefined)
          throw new Error(
            `${folder}/package.json: \`${subpath}\` needs \`import\` and \`require\`, as the others have them`,
          );
        const name = target.types.replace(/^\.\/dist\/(?:lib\/)?/, "").replace(/\.d\.ts$/, "");
        return {
          package: folder,
          module: packageName + subpath.slice(1),
          name,
          file: `${root}${declarations}${name}.d.ts`,
        };
      });
  });
}

/** Runs API Extractor over entry points, in one TypeScript program; `outputs` gives what it writes for each. */
export function extractApis(entries, outputs) {
  if (entries.some((entry) => entry.package === "compiler")) declareCompiler();
  const configs = entries.map((entry) =>
    ExtractorConfig.prepare({
      configObjectFullPath: undefined,
      packageJsonFullPath: `${root}${entry.package}/package.json`,
      configObject: {
        projectFolder: root,
        mainEntryPointFilePath: entry.file,
        newlineKind: "lf",
        compiler: {
          overrideTsconfig: {
            compilerOptions: {
              ...{ target: "ES2022", module: "NodeNext", lib: ["ES2023", "WebWorker"], types: ["node"] },
              ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
            },
            files: entries.map(({ file }) => file),
          },
        },
        docModel: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: { logLevel: "error" } },
          extractorMessageReporting: {
            default: { logLevel: "none" },
            // A type that users meet and cannot name shows in the report.
            "ae-forgotten-export": { logLevel: "warning", addToApiReportFile: true },
          },
          tsdocMessageReporting: { default: { logLevel: "none" } },
        },
        apiReport: { enabled: false },
        dtsRollup: { enabled: false },
        ...outputs(entry),
      },
    }),
  );
  const compilerState = CompilerState.create(configs[0], { additionalEntryPoints: entries.map(({ file }) => file) });
  for (const config of configs) {
    const { errorCount } = Extractor.invoke(config, { localBuild: true, compilerState, messageCallback: onlyErrors });
    if (errorCount > 0) throw new Error(`API Extractor finds faults in ${config.mainEntryPointFilePath}`);
  }
}

function onlyErrors(message) {
  message.handled = true;
  if (message.logLevel === "error") process.stderr.write(`${message.text}\n`);
}

/** Without a check, which takes longer than all the rest: that is what `make lint` is for. */
function declareCompiler() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const out = `${root}out/declarations/compiler`;
  const options = ["--noCheck", "--emitDeclarationOnly", "--outDir", out, "--tsBuildInfoFile", `${out}/.tsbuildinfo`];
  execFileSync(process.execPath, [tsc, "-p", `${root}compiler/tsconfig.json`, ...options], { stdio: "inherit" });
  const files = readdirSync(out, { recursive: true }).filter((file) => file.endsWith(".d.ts"));
  for (const file of files) namePrivateByPath(out, join(out, file));
}

/** `@portcullis/governance/review` → `../governance/review/index.js`: declarations of what is bundled lie beside one another. */
function namePrivateByPath(out, file) {
  const text = readFileSync(file, "utf8");
  const named = text.replace(PRIVATE, (_, quote, name, room = "") => {
    const module = existsSync(join(out, name, `${room}.d.ts`)) ? `${name}${room}.js` : `${name}${room}/index.js`;
    const path = relative(dirname(file), join(out, module)).replaceAll("\\", "/");
    return quote + (path.startsWith(".") ? path : `./${path}`) + quote;
  });
  if (named !== text) writeFileSync(file, named);
}
