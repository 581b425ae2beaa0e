/** The fleet with all that is around it, and what is true of each answer that it gives. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FAULTS } from "@portcullis/runtime";
import { pushBundle } from "@portcullis/runtime/node";
import { Redis } from "ioredis";
import { freePort } from "../free-port.ts";
import { HAS_REGISTRY, type Registry, startRegistry } from "../opa/registry-server.ts";
import { BundleServer } from "../runtime/operate/bundle-server.ts";
import { HAS_REDIS, type RedisServer, startRedis } from "../runtime/redis/redis-server.ts";
import type { Firing, Scrapes } from "./alerts.ts";
import { type Asked, bundleMember, Clock, Member, type MemberChoice, revisionIn, type Series, until } from "./fleet.ts";
import { newPair, type Revision, revision, type SigningPair, signedBy, writeKeys } from "./revisions.ts";

const bin = fileURLToPath(new URL("../../compiler/bin/portcullis.js", import.meta.url));
const CHANNEL = "portcullis:look";
const RINGS = ["canary", "stable"] as const;
type Ring = (typeof RINGS)[number];
/** Seconds without a good check after which everything is denied. */
export const STALE_AFTER = 1800;
/** A member asks its source so often by itself; where there is a Redis, a message comes first. */
const POLL_MS = 5000;
/** Who may draft. */
const WHO = { usual: "WRITER, COPY_EDITOR", more: "WRITER, COPY_EDITOR, ARCHIVIST", revoked: "COPY_EDITOR" };

export class Rehearsal {
  readonly folder: string;
  readonly clock: Clock;
  readonly keys: string;
  readonly members: Member[] = [];
  readonly pairs = { old: newPair("2025"), new: newPair("2026") };
  readonly revisions = new Map<string, Revision>();
  readonly scrapes: ReadonlyMap<string, Series>[] = [];
  readonly firing: Firing[] = [];
  checksPort = 0;
  private readonly servers = new Map<Ring, BundleServer>();
  private registry: Registry | undefined;
  private redis: RedisServer | undefined;
  private publisher: Redis | undefined;
  private readonly published = new Map<Ring, Uint8Array>();
  /** By ring, the revisions that may decide from a time on. */
  private readonly inForce = new Map<Ring, { readonly from: number; readonly names: readonly string[] }[]>();
  private count = 0;

  constructor(folder: string) {
    this.folder = folder;
    this.clock = new Clock(folder);
    this.keys = join(folder, "keys.json");
  }

  async start(size: number): Promise<void> {
    const wanted = {
      one: WHO.usual,
      two: WHO.usual,
      three: WHO.more,
      four: WHO.usual,
      five: WHO.revoked,
      six: WHO.usual,
    };
    for (const [i, [name, drafts]] of Object.entries(wanted).entries())
      this.revisions.set(name, await revision(this.folder, name, i + 1, drafts));
    this.revisions.set(
      "stolen",
      await revision(this.folder, "stolen", 99, "WRITER, COPY_EDITOR, ARCHIVIST, READER_DESK"),
    );
    writeKeys(this.keys, [this.pairs.old]);
    for (const ring of RINGS) this.servers.set(ring, await new BundleServer(new Uint8Array()).start());
    if (HAS_REGISTRY) this.registry = await startRegistry(false);
    if (HAS_REDIS) {
      this.redis = await startRedis();
      this.publisher = new Redis(this.redis.url);
    }
    await this.put("one", this.pairs.old);
    this.permit(RINGS, ["one"]);
    const script = join(this.folder, "member.mjs");
    await bundleMember(script);
    this.checksPort = await freePort();
    for (let i = 0; i < size; i++) this.members.push(this.planned(i, script));
    // A few at a time: what starts compiles.
    for (let i = 0; i < size; i += 4)
      await Promise.all(this.members.slice(i, i + 4).map((one) => one.start(this.clock.file)));
  }

  /**
   * The first is `portcullis serve`, which Envoy asks; the second has a log that is not required, and little room for it; the third
   * and each fifth are canaries. Half of the others follow the registry, the rest the bundle server.
   */
  private planned(i: number, script: string): Member {
    const ring = i >= 2 && i % 5 === 2 ? "canary" : "stable";
    const folder = join(this.folder, `member-${i}`);
    const server = (this.servers.get(ring) as BundleServer).url;
    const source = this.registry !== undefined && i % 2 === 1 ? this.reference(ring) : server;
    const isLogRequired = i !== 1;
    const choice: MemberChoice = {
      ...{ source, keys: this.keys, folder, redis: this.redis?.url, channel: CHANNEL, pollMs: POLL_MS },
      ...{ staleAfterMs: STALE_AFTER * 1000, isLogRequired, bufferBytes: isLogRequired ? 8 << 20 : 2 << 20 },
    };
    const served = [
      ...[bin, "serve", server, "--addr", "127.0.0.1:0", "--ext-authz", `127.0.0.1:${this.checksPort}`],
      ...["--follow", "1", "--stale-after", String(STALE_AFTER), "--persist", folder, "--verification-key", this.keys],
      ...["--decision-log", join(folder, "decisions.ndjson"), "--log-required"],
    ];
    const words = i === 0 ? served : [script, JSON.stringify(choice)];
    return new Member({ name: i === 0 ? "serve" : `member-${i}`, ring, isLogRequired, folder, words });
  }

  private reference(ring: Ring): string {
    return `oci://${this.registry?.host}/policies/newsroom:${ring}`;
  }

  of(ring: Ring): readonly Member[] {
    return this.members.filter(({ plan }) => plan.ring === ring);
  }

  /** From now on these revisions may decide in these rings, and no other one. */
  permit(rings: readonly Ring[], names: readonly string[]): void {
    for (const ring of rings)
      this.inForce.set(ring, [...(this.inForce.get(ring) ?? []), { from: performance.now(), names }]);
  }

  /** The revisions that could decide what was asked. */
  private permitted(ring: Ring, { began, ended }: Asked): readonly string[] {
    const spans = this.inForce.get(ring) ?? [];
    return spans.flatMap(({ from, names }, i) => {
      const to = spans[i + 1]?.from ?? Number.POSITIVE_INFINITY;
      return from <= ended && to >= began ? names : [];
    });
  }

  /** Where the rings find their bundle. */
  async put(name: string, pair: SigningPair, rings: readonly Ring[] = RINGS): Promise<void> {
    const bytes = await signedBy(pair, this.revisions.get(name) as Revision);
    for (const ring of rings) this.published.set(ring, bytes);
    await this.republish(rings);
  }

  private async republish(rings: readonly Ring[]): Promise<void> {
    for (const ring of rings) {
      const bytes = this.published.get(ring) as Uint8Array;
      (this.servers.get(ring) as BundleServer).bundle = bytes;
      if (this.registry !== undefined) await pushBundle(this.reference(ring), bytes);
    }
    await this.publisher?.publish(CHANNEL, "now");
  }

  /**
   * Publishes a revision, and asks without a break until all members of the rings decide by it. Resolves to the milliseconds from the
   * beginning of the publishing to the end of the last answer that let a writer draft, 0 without an allow.
   */
  async rollOut(name: string, pair: SigningPair, rings: readonly Ring[]): Promise<number> {
    const members = rings.flatMap((ring) => this.of(ring));
    const before = new Map(rings.map((ring) => [ring, this.inForce.get(ring)?.at(-1)?.names ?? []]));
    for (const ring of rings) this.permit([ring], [...(before.get(ring) ?? []), name]);
    const began = performance.now();
    await this.put(name, pair, rings);
    const allows: number[] = [0];
    const waiting = new Set(members);
    await until(
      async () => {
        for (const { ended, result } of await this.askAll(members, "WRITER"))
          if (result?.allowed === true) allows.push(ended - began);
        for (const one of waiting) if (revisionIn(await one.series()) === name) waiting.delete(one);
        return waiting.size === 0;
      },
      () => `${[...waiting].map(({ plan }) => plan.name)} take ${name}`,
    );
    this.permit(rings, [name]);
    return Math.max(...allows);
  }

  askAll(members: readonly Member[], role: string): Promise<Asked[]> {
    return Promise.all(members.map((one) => one.ask(role, `m${this.count++}`)));
  }

  /** Minutes in which each member is asked three times: one in 25 is an archivist. */
  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      for (let n = 0; n < 3; n++)
        await Promise.all(
          this.members.map((one) => {
            const mark = this.count++;
            return one.ask(mark % 25 === 0 ? "ARCHIVIST" : "WRITER", `m${mark}`);
          }),
        );
      const seen = await this.clock.tick(this.members);
      this.scrapes[this.clock.minute] = seen;
    }
  }

  /** Minutes in which no member answers. */
  passSilently(minutes: number): void {
    for (let i = 0; i < minutes; i++) this.scrapes[++this.clock.minute] = new Map();
  }

  /** These alerts fire now, and no other. */
  fires(...alerts: readonly string[]): void {
    this.firing.push({ minute: this.clock.minute, alerts });
  }

  get history(): Scrapes {
    return Array.from(this.scrapes, (one) => one ?? new Map());
  }

  async loseSources(): Promise<void> {
    for (const server of this.servers.values()) await server.stop();
    await this.registry?.stop();
  }

  async sourcesAreBack(): Promise<void> {
    for (const server of this.servers.values()) await server.start();
    if (this.registry !== undefined)
      this.registry = await startRegistry(false, Number(this.registry.host.split(":")[1]));
    await this.republish(RINGS);
  }

  /** Allows that no policy in force gives, in words. */
  wrongAllows(): readonly string[] {
    return this.members.flatMap(({ plan, asked }) =>
      asked.flatMap((one) => {
        if (one.result?.allowed !== true) return [];
        const names = this.permitted(plan.ring, one);
        const isGiven = names.some((name) => this.answer(name, one.role).allowed);
        return isGiven ? [] : [`${plan.name} allows ${one.role} (${one.mark}) under ${names}`];
      }),
    );
  }

  private answer(name: string, role: string): { allowed: boolean; gate: string; reason: string } {
    const policy = this.revisions.get(name)?.policy;
    if (policy === undefined) throw new Error(`no revision is called ${name}`);
    const { allowed, gate, reason } = policy.lane({ role, lane: "DRAFTING" });
    return { allowed, gate, reason };
  }

  /** What a log lacks of the answers that its member gave, and what it has that its revision does not say. */
  logProblems(member: Member): { readonly problems: readonly string[]; readonly untold: number } {
    const events = member.events();
    const problems: string[] = [];
    const logged = new Map<string, string>();
    let untold = 0;
    for (const { input, result, bundles, dropped = 0, refused = 0 } of events) {
      untold += dropped + refused;
      const name = Object.values(bundles ?? {})[0]?.revision;
      if (input?.mark === undefined || result === undefined || name === undefined) continue;
      const { mark, role = "" } = input;
      logged.set(mark, JSON.stringify(result));
      const said = JSON.stringify(this.answer(name, role));
      if (result.reason !== "stale" && JSON.stringify(result) !== said)
        problems.push(`${mark}: ${name} says ${said}, and the log ${JSON.stringify(result)}`);
    }
    const missing = member.asked.filter(({ mark, result }) => result !== undefined && !logged.has(mark));
    for (const { mark, result } of missing)
      if (result?.allowed === true && member.plan.isLogRequired) problems.push(`${mark}: allowed, and not in the log`);
    // What was decided when the disk got full waits for room, and its caller was denied: a log never has less than was allowed.
    for (const { mark, result } of member.asked)
      if (result !== undefined && result.gate !== FAULTS.lane.gate && logged.has(mark))
        if (logged.get(mark) !== JSON.stringify(result))
          problems.push(`${mark}: answered with ${JSON.stringify(result)}, and logged as ${logged.get(mark)}`);
    if (missing.length > untold)
      problems.push(`${missing.length} answers are not in the log, and it says that it lacks ${untold}`);
    return { problems, untold };
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((one) => one.end("SIGKILL")));
    for (const server of this.servers.values()) await server.stop().catch(() => undefined);
    await this.registry?.stop();
    this.publisher?.disconnect();
    await this.redis?.stop();
  }
}
