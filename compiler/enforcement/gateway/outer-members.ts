/** What a message says of itself that is too long to be kept: its id, and whether it asks. Read byte by byte, in constant memory. */

import { isId, type RequestId } from "./messages.ts";

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];
/** Bytes of a key or value that are kept; a longer one is no id. */
const MOST = 1024;

/** INVARIANT: right for JSON; for any other text whatever comes out is an id of that text's outer level, or none. */
export class OuterMembers {
  id: RequestId | undefined;
  /** Whether there is a method: the message wants an answer, or is a notification. */
  asks = false;
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  private key = "";
  private text = "";

  feed(part: Uint8Array): void {
    for (let i = 0; i < part.length; i++) this.next(part[i] as number);
  }

  private next(byte: number): void {
    if (this.inString) {
      this.keep(byte);
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.inString = false;
    } else if (byte === QUOTE) {
      this.inString = true;
      this.keep(byte);
    } else if (OPENING.has(byte)) this.depth++;
    else if (CLOSING.has(byte)) {
      if (this.depth-- === 1) this.member();
    } else if (byte === COMMA && this.depth === 1) this.member();
    else if (byte === COLON && this.depth === 1) {
      this.key = this.text;
      this.text = "";
    } else this.keep(byte);
  }

  private keep(byte: number): void {
    if (this.depth === 1 && this.text.length < MOST) this.text += String.fromCharCode(byte);
  }

  private member(): void {
    if (read(this.key) === "method") this.asks = true;
    const value = read(this.key) === "id" ? read(this.text) : undefined;
    if (isId(value)) this.id = value;
    this.key = this.text = "";
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "latin1").toString("utf8"));
  } catch {
    return undefined;
  }
}
