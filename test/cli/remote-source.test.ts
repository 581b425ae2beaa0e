/** Which URLs `serve` takes, and how it shows a bundle's server who asks: with a token, or with AWS's signature, and never without TLS. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { remoteSource, showing } from "../../compiler/cli/policy/remote-source.ts";
import { portcullis } from "./terminal.ts";

afterEach(() => void vi.unstubAllEnvs());
const never = new AbortController().signal;

describe("--source-region", () => {
  it("signs requests by the credentials of the environment", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    const asked: (string | undefined)[] = [];
    const store = createServer(({ headers }, response) => {
      asked.push(headers.authorization);
      response.end("bundle");
    });
    await new Promise<void>((resolve) => store.listen(0, "127.0.0.1", resolve));
    try {
      const place = `http://127.0.0.1:${(store.address() as AddressInfo).port}/bucket/bundle.tar.gz`;
      await remoteSource(place, showing(place, { sourceRegion: "eu-central-1" })).fetch(undefined, never);
      await remoteSource(place, showing(place, {})).fetch(undefined, never);
      const scope = /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, /;
      expect(asked).toEqual([expect.stringMatching(scope), undefined]);
    } finally {
      store.close();
    }
  });

  it.each([
    ["http://bundles.example/bundle.tar.gz", ["--source-region", "eu"], "`--source-region` would be sent without TLS"],
    ["oci://127.0.0.1:1/a", ["--source-region", "eu"], "`--source-region` needs an http(s) URL"],
    ["bundle.tar.gz", ["--source-region", "eu"], "`--source-region` needs an http(s) URL"],
    ["https://bundles.example/b", ["--source-region", ""], "`--source-region` is empty"],
    ["https://bundles.example/b", ["--source-region", "eu", "--source-token", "file"], "choose one"],
  ])("is refused for %s %j", async (place, flags, message) => {
    const { code, err } = await portcullis("serve", place, ...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("a URL", () => {
  it.each([
    [["http://[::1/b"], "the URL is malformed"],
    [["http://[::1/b", "--follow", "5"], "the URL is malformed"],
    [["http://ann:secret@127.0.0.1/b"], "the URL has a user or a password"],
    [["http://ann:secret@127.0.0.1/b", "--follow", "5"], "the URL has a user or a password"],
    [["generated/bundle.tar.gz", "--decision-log", "http://[::1"], "`--decision-log`: the URL is malformed"],
    [
      ["generated/bundle.tar.gz", "--decision-log", "http://ann:secret@127.0.0.1"],
      "`--decision-log`: the URL has a user or a password",
    ],
    [
      ["generated/bundle.tar.gz", "--decision-log", "http://127.0.0.1/?a=b"],
      "`--decision-log`: the URL of a log service has a query",
    ],
  ])("is refused of serve %j", async (words, message) => {
    const { code, err } = await portcullis("serve", ...words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).not.toMatch(/secret|internal error/);
  });
});
