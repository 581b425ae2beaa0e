/** Indexes that git would not write so: each says of a folder what its tree does not hold, or what its table does not. */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readIndex, writeIndex as writeRaw } from "../../../enforcement/execution/index-bytes.ts";
import { openTestRepository } from "../../../enforcement/execution/repository.ts";
import type { Situations, Stage } from "./stage.ts";

/** An extension with nothing in it: the index has folders that are closed. */
const SPARSE = Buffer.from("sdir\0\0\0\0");

export const indexes: Situations = {
  "a sparse index, whose mark holds something, of a tree with other content": (at) => {
    const { index } = sparseIndex(at);
    writeIndex(at, Buffer.concat([before(index, SPARSE), extension("sdir", Buffer.from("more"))]));
    return { expected: "refused", says: "out of the work tree" };
  },
  "a sparse index, shared by a split one, of a tree with other content": (at) => {
    const { index: shared } = sparseIndex(at);
    const name = shared.subarray(-20);
    writeFileSync(at.git(`sharedindex.${name.toString("hex")}`), shared);
    writeIndex(at, Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\0"), extension("link", name)]));
    return { expected: "refused" };
  },
  "a sparse index with a closed folder that is missing": (at) => {
    const { later } = sparseIndex(at);
    rmSync(objectFile(at, later));
    return { expected: "refused", says: "out of the work tree" };
  },
  "a full index that says in passing that it is sparse, with a table of other trees": (at) => {
    const { later, earlier } = twoTrees(at);
    at.repository.git("sparse-checkout", "set", "--cone", "--no-sparse-index", "docs");
    at.repository.git("update-ref", "HEAD", "HEAD^");
    const index = readFileSync(at.git("index"));
    const table = index.indexOf(Buffer.from(later, "hex"));
    if (table < 0) throw new Error("the index has no table of trees");
    index.write(earlier, table, "hex");
    // What stands in here is not read by readers that take the rest in its order.
    writeIndex(at, Buffer.concat([index.subarray(0, -20), extension("EOIE", SPARSE)]));
    return { expected: "refused" };
  },
  "a table of trees that counts other files": ({ git }) => {
    const index = readIndex(git("index"));
    const extensions = index.extensions.map(({ signature, body }) => {
      const forged = body.toString("latin1").replace("docs\x001 0\n", "docs\x002 0\n");
      if (signature === "TREE" && !forged.includes("docs\x002 0\n")) throw new Error("the table has no such folder");
      return { signature, body: Buffer.from(forged, "latin1") };
    });
    writeRaw(git("index"), { ...index, extensions });
    return { expected: "refused" };
  },
  "a table of trees by long hashes": ({ beside }) => {
    const top = beside("sha256");
    mkdirSync(top);
    const repository = openTestRepository(top);
    repository.git("init", "-q", "-b", "main", "--object-format=sha256");
    repository.write("docs/a", "a\n");
    const baseline = repository.commit();
    repository.write("new", "x");
    return { expected: ["CREATE new"], folder: top, top, baseline };
  },
  "an index of version 4 with a short path behind a long one": ({ repository }) => {
    const long = `long/${"x".repeat(200)}`;
    repository.write(long, "x");
    repository.git("add", "-A");
    repository.git("update-index", "--index-version", "4");
    return { expected: [`CREATE ${long}`] };
  },
  "an index without a hash that ends in its last entry": ({ git }) => {
    writeRaw(git("index"), { ...readIndex(git("index")), extensions: [] });
    const body = readFileSync(git("index")).subarray(0, -20);
    writeFileSync(git("index"), Buffer.concat([body.subarray(0, -1), Buffer.alloc(20)]));
    return { expected: "refused" };
  },
};

/** The hash of `src` as it is committed now, and as it was. */
function twoTrees({ repository }: Stage): { readonly later: string; readonly earlier: string } {
  repository.write("src/b", "changed\n");
  repository.commit();
  return { later: repository.git("rev-parse", "HEAD:src"), earlier: repository.git("rev-parse", "HEAD^:src") };
}

/** With `src` closed, of a later commit than the one checked out; the tree of that name holds what the earlier one did. */
function sparseIndex(at: Stage): { readonly index: Buffer; readonly later: string } {
  const { later, earlier } = twoTrees(at);
  at.repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs");
  at.repository.git("update-ref", "HEAD", "HEAD^");
  rmSync(objectFile(at, later));
  cpSync(objectFile(at, earlier), objectFile(at, later));
  return { index: readFileSync(at.git("index")), later };
}

function objectFile(at: Stage, hash: string): string {
  return at.git("objects", hash.slice(0, 2), hash.slice(2));
}

function before(index: Buffer, part: Buffer): Buffer {
  const found = index.indexOf(part);
  if (found < 0) throw new Error("the index is not sparse");
  return index.subarray(0, found);
}

function extension(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(name), size, content]);
}

/** An index ends with the hash of what stands before. */
function writeIndex(at: Stage, body: Buffer): void {
  writeFileSync(at.git("index"), Buffer.concat([body, createHash("sha1").update(body).digest()]));
}
