/**
 * A real nginx on a free port, in a folder of its own: a bundle at `/bundle.tar.gz`, and what goes wrong with such a server for
 * requests that name a fault in `x-fault`. What nginx does not do by itself, a server behind it does.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";

/** Debian has it where only root looks. */
const PROGRAM = ["nginx", "/usr/sbin/nginx"].find((program) => {
  try {
    execFileSync(program, ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
export const hasNginx = PROGRAM !== undefined;
if (!hasNginx) console.warn("SKIPPED: no `nginx` (Debian: `apt-get install nginx-light`)");

export class Nginx {
  private readonly folder = mkdtempSync(join(tmpdir(), "portcullis-nginx-"));
  private readonly backend: Server;
  private port = 0;
  /** When the last file was changed, as the folder says: in seconds, later each time. */
  private changed = 1_700_000_000;
  private child: ChildProcess | undefined;

  /** `bundle`: what the server behind gives half of. */
  constructor(bundle: Uint8Array) {
    mkdirSync(join(this.folder, "www"));
    this.backend = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (request) => {
        const [, path] = /^GET (\S+)/.exec(request.toString()) ?? [];
        const head = "HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\n";
        const half = bundle.subarray(0, bundle.length >> 1);
        if (path === "/truncated")
          socket.end(Buffer.concat([Buffer.from(`${head}Content-Length: ${bundle.length}\r\n\r\n`), half]));
        else if (path === "/half-chunk")
          socket.end(Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\nffff\r\n`), half]));
        else if (path === "/hangs-up") socket.destroy();
        // `/silent` gets no answer.
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/bundle.tar.gz`;
  }

  /** Puts a file in the place of another, as an operator should. */
  put(name: string, bytes: Uint8Array): void {
    const path = join(this.folder, "www", name);
    writeFileSync(`${path}.new`, bytes);
    // nginx makes its tag from the size and the second of the change: two files of one size in one second have the same.
    this.changed += 1;
    utimesSync(`${path}.new`, this.changed, this.changed);
    renameSync(`${path}.new`, path);
  }

  /** A file of this many bytes, of which the disk has none. */
  putHole(name: string, size: number): void {
    this.put(name, new Uint8Array());
    truncateSync(join(this.folder, "www", name), size);
  }

  /** Statuses of the answers, in order. */
  answers(): number[] {
    const lines = readFileSync(join(this.folder, "access.log"), "utf8").trim();
    return lines === "" ? [] : lines.split("\n").map(Number);
  }

  /** Again on the same port. */
  async start(): Promise<this> {
    if (!this.backend.listening) {
      this.backend.listen(0, "127.0.0.1");
      await once(this.backend, "listening");
    }
    this.port ||= await freePort();
    writeFileSync(join(this.folder, "nginx.conf"), this.configuration());
    const child = spawn(PROGRAM as string, ["-p", this.folder, "-c", "nginx.conf", "-e", "error.log"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    this.child = child;
    const end = performance.now() + 10_000;
    while ((await fetch(`http://127.0.0.1:${this.port}/up`).catch(() => undefined))?.status !== 204) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`nginx does not start: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return this;
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    this.backend.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private configuration(): string {
    const behind = (this.backend.address() as AddressInfo).port;
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path tmp-${name};`,
    );
    const passed = ["truncated", "half-chunk", "hangs-up", "silent"].map(
      (name) =>
        `location = /${name} { proxy_pass http://127.0.0.1:${behind}; proxy_buffering off; proxy_http_version 1.1; }`,
    );
    return `daemon off; master_process off; pid nginx.pid; error_log error.log;
events { worker_connections 64; }
http {
  ${temporary.join(" ")}
  log_format status "$status"; access_log access.log status;
  default_type application/gzip;
  limit_req_zone $server_addr zone=few:64k rate=1r/s; limit_req_status 429;
  server {
    listen 127.0.0.1:${this.port}; root www;
    if ($http_x_fault) { rewrite ^ /$http_x_fault last; }
    location = /up { access_log off; return 204; }
    location = /packed { gzip on; gzip_types *; gzip_proxied any; gzip_http_version 1.0; rewrite ^ /bundle.tar.gz break; }
    location = /slow { limit_rate 100; rewrite ^ /bundle.tar.gz break; }
    location = /busy { limit_req zone=few; rewrite ^ /bundle.tar.gz break; }
    location = /429 { add_header Retry-After 1 always; return 429; }
    location = /500 { return 500; }
    location = /503 { add_header Retry-After "Wed, 21 Oct 2015 07:28:00 GMT" always; return 503; }
    location = /502 { proxy_pass http://127.0.0.1:1; }
    location = /page { default_type text/html; return 200 "<html></html>"; }
    location = /json { default_type application/json; return 200 '{"result": {}}'; }
    location = /nothing { return 200; }
    location = /204 { return 204; }
    location = /round { return 302 /round; }
    location = /secret { auth_basic "bundles"; auth_basic_user_file /dev/null; }
    ${passed.join("\n    ")}
  }
}
`;
  }
}
