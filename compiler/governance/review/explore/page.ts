/**
 * The page as one file. Nothing is fetched: a policy of the page's own forbids it. Whatever comes from a policy stands in data
 * blocks, in which no text can end the block, and is shown as text alone.
 */

import { describeBundle } from "@portcullis/runtime";
import { suppliers } from "@portcullis/runtime/host";
import type { OpenedPolicy } from "../opened-policy.ts";
import { isOwnModule, NOT_OWN } from "../own-module.ts";
import type { ExploreFacts } from "./facts.ts";

/** Made by the build from `page/`. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
  /** The script of a family of `@portcullis/builtins`. */
  readonly family: (name: string) => string;
}

const TITLE = "<title>Portcullis explorer</title>";

export async function explorePage(
  facts: ExploreFacts,
  now: OpenedPolicy,
  before: OpenedPolicy | undefined,
  { script, style, family }: PageAssets,
): Promise<string> {
  const scripts = [...(await familiesOf([now, ...(before ? [before] : [])])).map(family), script];
  const policy = [
    "default-src 'none'",
    `script-src ${(await Promise.all(scripts.map(hashOf))).join(" ")} 'wasm-unsafe-eval'`,
    `style-src ${await hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const modules = [
    await moduleBlock("module-now", now),
    ...(before ? [await moduleBlock("module-before", before)] : []),
  ];
  const foreign = [
    ...((await isOwnModule(now)) ? [] : ["The policy's"]),
    ...(before === undefined || (await isOwnModule(before)) ? [] : ["The other policy's"]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
${TITLE}
<style>${style}</style>
</head>
<body>
<noscript>This page decides by itself and needs JavaScript. It loads nothing from anywhere.</noscript>
${foreign.map((whose) => `<p role="alert" class="verdict deny">${whose} policy.wasm: ${NOT_OWN}</p>\n`).join("")}<script type="application/json" id="facts">${inert(JSON.stringify(facts))}</script>
${modules.join("\n")}
${scripts.map((text) => `<script>${text}</script>`).join("\n")}
</body>
</html>
`;
}

/** Whether a text is a page of any policy. */
export function isExplorePage(text: string): boolean {
  return text.startsWith("<!doctype html>\n") && text.includes(TITLE);
}

/** The families of builtins that policies call. */
async function familiesOf(policies: readonly OpenedPolicy[]): Promise<string[]> {
  const described = await Promise.all(policies.map(({ bundle }) => describeBundle(bundle)));
  const names = described.flatMap(({ builtins }) => builtins.flatMap((name) => suppliers.get(name)?.family ?? []));
  return [...new Set(names)].sort();
}

/** JSON in which nothing can end a script block, begin a comment, or end a line of a script. */
function inert(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${base64(new Uint8Array(digest))}'`;
}

/** The bundle's module, compressed, as the page loads it. */
async function moduleBlock(id: string, { files, name }: OpenedPolicy): Promise<string> {
  const wasm = files.get("policy.wasm");
  if (wasm === undefined) throw new Error(`${name} was loaded, so it has a module`);
  const packed = new Blob([wasm as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return `<script type="application/octet-stream" id="${id}">${base64(bytes)}</script>`;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
