/** The hosts: how each is had, and how it is asked. */

import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { Report } from "./ask.ts";
import { Absent, installed } from "./installed.ts";

export interface Host {
  readonly name: string;
  /** How a service there loads a policy. */
  readonly how: string;
  /** What it answers and which version it is. Throws where it is not to be had, with the reason. */
  run(folder: string): Promise<{ readonly version: string; readonly report: Report | { readonly error: string } }>;
}

function commandHost(name: string, how: string, spec: string, binary: string, options: readonly string[]): Host {
  return {
    name,
    how,
    run: async (folder) => {
      const file = join(installed(name.toLowerCase().replace(/\W+/g, "-"), spec), "node_modules", ".bin", binary);
      const output = (...args: string[]): string =>
        execFileSync(file, args, { encoding: "utf8", maxBuffer: 2 ** 26, timeout: 300_000 });
      const [, version = "?"] = /(\d+\.\d+\.\d+)/.exec(output("--version")) ?? [];
      const report = output(...options, join(folder, "program.mjs"), join(folder, "material.json"));
      return { version, report: JSON.parse(report) as Report };
    },
  };
}

const IMPORT = '`import { load } from "@portcullis/runtime"`, `load(bytes)`';

const workerd: Host = {
  name: "workerd",
  how: "the module comes with the Worker: `load(module)`; it compiles no bytes",
  async run(folder) {
    const file = join(installed("workerd", "workerd@latest"), "node_modules", ".bin", "workerd");
    const version = execFileSync(file, ["--version"], { encoding: "utf8" }).trim().replace("workerd ", "");
    const modules = [
      '(name = "worker", esModule = embed "worker.mjs")',
      '(name = "library.wasm", wasm = embed "library.wasm")',
      '(name = "policy.wasm", wasm = embed "policy.wasm")',
      '(name = "material.json", json = embed "material.json")',
    ];
    const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [${modules.join(", ")}],
    compatibilityDate = "2025-01-01", compatibilityFlags = ["nodejs_compat"]
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`;
    writeFileSync(join(folder, "workerd.capnp"), config);
    const child = spawn(file, ["serve", "workerd.capnp", "--control-fd=3"], {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    });
    try {
      const port = await new Promise<number>((resolve, reject) => {
        child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
        let said = "";
        child.stdio[3]?.on("data", (bytes: Buffer) => {
          said += bytes.toString();
          const [, found] = /"event":"listen","socket":"http","port":(\d+)/.exec(said) ?? [];
          if (found !== undefined) resolve(Number(found));
        });
      });
      const response = await fetch(`http://127.0.0.1:${port}/`);
      return { version, report: (await response.json()) as Report };
    } finally {
      child.kill();
    }
  },
};

/** Nothing but our own script and WebAssembly may run, and nothing may be asked but our own server. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

const page: Host = {
  name: "Chromium",
  how: `a page; the content security policy needs \`script-src 'wasm-unsafe-eval'\``,
  async run(folder) {
    if (CHROMIUM === undefined) throw new Absent("there is no Chromium in /usr/bin");
    const html =
      '<!doctype html><meta charset="utf-8"><title>asking</title><script type="module" src="page.js"></script><body>';
    const server = createServer((request, response) => {
      response.setHeader("Content-Security-Policy", POLICY);
      const isPage = request.url === "/";
      const name = ["/page.js", "/material.json"].find((path) => path === request.url);
      if (!isPage && name === undefined) response.writeHead(404).end();
      else if (name === undefined) response.setHeader("Content-Type", "text/html").end(html);
      else
        response
          .setHeader("Content-Type", name.endsWith(".js") ? "text/javascript" : "application/json")
          .end(readFileSync(join(folder, name)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const tab = await browser.newPage();
      const faults: string[] = [];
      tab.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      tab.on("pageerror", (error) => faults.push(error.message));
      await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await tab.locator("body[data-done]").waitFor({ timeout: 300_000 });
      const report = JSON.parse((await tab.textContent("body")) ?? "") as Report;
      // The icon that is missing is no fault.
      const broken = faults.filter((text) => !text.includes("404"));
      return {
        version: browser.version(),
        report: "broken" in report ? { ...report, broken: [...report.broken, ...broken] } : report,
      };
    } finally {
      await browser.close();
      server.close();
    }
  },
};

export const HOSTS: readonly Host[] = [
  commandHost("Node 20", IMPORT, "node@20", "node", []),
  commandHost("Node", IMPORT, "node@latest", "node", []),
  commandHost("Bun", IMPORT, "bun@latest", "bun", ["run"]),
  commandHost("Deno", IMPORT, "deno@latest", "deno", ["run", "--allow-read"]),
  workerd,
  page,
];
