/** Servers behind the gateway over HTTP: what they are asked, and what of their headers goes back. */
import type { IncomingHttpHeaders } from "node:http";
import type { Message } from "../../../compiler/enforcement/gateway/messages.ts";
import { asker, passedBack, passedOn, upstreamAt } from "../../../compiler/enforcement/gateway/upstream.ts";
import { type Check, same } from "./check.ts";
import { until } from "./clock.ts";
import { type Asked, serving, signal, textOf } from "./serving.ts";

export function upstreamChecks(): readonly Check[] {
  return [
    { what: "headers that go on", run: goOn },
    { what: "headers that go back", run: goBack },
    { what: "requests to a server", run: requests },
    { what: "requests that are taken back", run: takenBack },
    { what: "servers with TLS", run: tls },
  ];
}

const OWN = [
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "host", "content-length", "content-encoding", "accept-encoding", "expect"],
  ...["origin", "content-type"],
  ...["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"],
];

const AWAY = ["location", "content-location", "refresh", "alt-svc", "link"];
function goOn(): void {
  const kept = { authorization: "a", accept: "b", "mcp-session-id": "s", "mcp-name": "n", x_other: "o", location: "l" };
  const odd = Object.fromEntries(
    OWN.flatMap((name) => [
      [name, "1"],
      [name.replaceAll("-", "_"), "1"],
    ]),
  );
  same("kept", passedOn({ ...kept, ...odd, gone: undefined } as IncomingHttpHeaders), kept);
  same("without a value", Object.keys(passedOn({ gone: undefined })), []);
  const named = { connection: "close, X-Hop ,x-two", "x-hop": "1", "x-two": "2", "x-three": "3" };
  same("named", passedOn(named), { "x-three": "3" });
}

function goBack(): void {
  const kept = { "mcp-session-id": "s", "www-authenticate": "w", "set-cookie": ["a", "b"], "x-hops": "1" };
  const odd = Object.fromEntries([...OWN, ...AWAY].map((name) => [name, "1"]));
  same("kept", passedBack({ ...kept, ...odd, gone: undefined } as never), kept);
  same("without a value", Object.keys(passedBack({ gone: undefined })), []);
  same("named", passedBack({ connection: "X-Hop", "x-hop": "1", "x-hops": "1" }), { "x-hops": "1" });
}

async function requests(): Promise<void> {
  const message: Message = { jsonrpc: "2.0", id: 1, method: "\u00e9" };
  await serving(
    (_, response) => void response.writeHead(201, { "x-a": "b" }).end("c"),
    async (url, asked) => {
      const upstream = upstreamAt(url);
      const answer = await upstream.send("POST", { host: "h", accept: "x", te: "t" }, message, signal());
      same("its answer", [answer.statusCode, answer.headers["x-a"], await textOf(answer)], [201, "b", "c"]);
      await textOf(await upstream.send("GET", {}, undefined, signal()));
      upstream.forget("s");
      upstream.close();
      const [first, second] = asked as [Asked, Asked];
      same("asked", [first.method, first.url, first.body], ["POST", "/mcp?a=b", JSON.stringify(message)]);
      const { accept, te, host, "content-type": type, "content-length": length } = first.headers;
      same("its headers", [accept, te, host, type, length], ["x", undefined, url.host, "application/json", "38"]);
      same("without a body", [second.method, second.body, second.headers["content-type"]], ["GET", "", undefined]);
      same("one connection", second.port, first.port);
    },
  );
}

async function takenBack(): Promise<void> {
  await serving(
    () => {},
    async (url, asked) => {
      const { ask, close } = asker(url);
      const controller = new AbortController();
      const said = ask(url, "POST", {}, undefined, controller.signal).then(String, (error: Error) => error.message);
      await until(() => asked.length === 1);
      controller.abort();
      same("taken back", await said, "the request was taken back");
      const early = ask(url, "POST", {}, undefined, controller.signal).then(String, (error: Error) => error.message);
      same("taken back before", [await early, asked.length], ["the request was taken back", 1]);
      close();
    },
  );
}

/** Neither is there: what is tried first tells which one would have been asked. */
async function tls(): Promise<void> {
  for (const address of ["https://127.0.0.1:1/", "http://127.0.0.1:1/"]) {
    const url = new URL(address);
    const said = await upstreamAt(url)
      .send("POST", {}, undefined, signal())
      .then(String, (error: { readonly code?: string }) => error.code);
    same(address, said, "ECONNREFUSED");
  }
}
