/** Instructions in bytes: where each ends, and the links of a body that was compiled elsewhere. MVP and bulk memory only. */

import { assert } from "../../diagnostics/index.ts";
import { ByteReader } from "./bytes.ts";
import { Op } from "./code.ts";
import { type Body, Link } from "./encode.ts";

export const END = 0x0b;
const ELSE = 0x05;
export const I32_CONST = Op.i32Const;
const PREFIX = 0xfc;
const MEMORY_COPY = 0xfc0a;
const F32_CONST = 0x43;
const F64_CONST = 0x44;
/** The last one before those that prefixes begin. */
const LAST = 0xc4;

/** A body as it stands in a section of code, with its links found. */
export function linkedBody(bytes: Uint8Array): Body {
  const reader = new ByteReader(bytes);
  reader.list(() => {
    reader.skipNumber();
    reader.byte();
  });
  const links: number[] = [];
  while (reader.at < bytes.length) {
    const op = bytes[reader.at] as number;
    const kind = op === Op.call ? Link.func : op === Op.globalGet || op === Op.globalSet ? Link.global : undefined;
    if (kind === undefined) skipInstruction(reader);
    else {
      const place = ++reader.at;
      const symbol = reader.unsigned();
      links.push(place, reader.at - place, kind, symbol);
    }
  }
  return { bytes, links };
}

export function skipInstruction(reader: ByteReader): void {
  const first = reader.byte();
  const op = first === PREFIX ? (PREFIX << 8) | reader.unsigned() : first;
  switch (op) {
    case Op.block:
    case Op.loop:
    case Op.if:
    case Op.memorySize:
    case Op.memoryGrow:
    case Op.memoryFill:
      reader.at++;
      return;
    case Op.br:
    case Op.brIf:
    case Op.call:
    case Op.localGet:
    case Op.localSet:
    case Op.localTee:
    case Op.globalGet:
    case Op.globalSet:
    case Op.i32Const:
    case Op.i64Const:
    case Op.dataDrop:
      reader.skipNumber();
      return;
    case Op.brTable:
      reader.list(() => reader.skipNumber());
      reader.skipNumber();
      return;
    case Op.memoryInit:
      reader.skipNumber();
      reader.at++;
      return;
    case MEMORY_COPY:
      reader.at += 2;
      return;
    case F32_CONST:
      reader.at += 4;
      return;
    case F64_CONST:
      reader.at += 8;
      return;
    default:
      if (op >= Op.firstAccess && op <= Op.lastAccess) {
        reader.skipNumber();
        reader.skipNumber();
      } else {
        const isPlain = op === END || op < Op.block || op === ELSE || op === Op.return || op === Op.drop;
        assert(isPlain || op === Op.select || (op > F64_CONST && op <= LAST), `the library has the instruction ${op}`);
      }
  }
}
