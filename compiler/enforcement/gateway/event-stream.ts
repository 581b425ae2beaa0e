/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface ServerEvent {
  readonly event: string;
  /** Absent where the event has none. */
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  readonly retry?: string | undefined;
}

/** Takes pieces of a stream, and gives its events. Throws once an event is longer than this many characters. */
export class EventReader {
  private readonly most: number;
  private readonly decoder = new TextDecoder("utf-8");
  /** The line so far. */
  private rest = "";
  /** The last piece ended with a carriage return, which may be half of an end of line. */
  private isHalf = false;
  /** Characters of the event's lines so far. */
  private size = 0;
  private fields = new Map<string, string[]>();

  constructor(most: number) {
    this.most = most;
  }

  read(chunk: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = [];
    let piece = this.decoder.decode(chunk, { stream: true });
    if (this.isHalf && piece.startsWith("\n")) {
      piece = piece.slice(1);
      this.isHalf = false;
    }
    if (piece !== "") this.isHalf = piece.endsWith("\r");
    const [first = "", ...lines] = piece.split(/\r\n|\n|\r/);
    this.rest += first;
    for (const line of lines) {
      this.hold();
      if (this.rest !== "") {
        this.field(this.rest);
        this.size += this.rest.length;
      } else {
        const event = this.event();
        if (event !== undefined) events.push(event);
        this.size = 0;
      }
      this.rest = line;
    }
    this.hold();
    return events;
  }

  private hold(): void {
    if (this.size + this.rest.length > this.most) throw new Error(`an event over ${this.most} characters`);
  }

  private field(line: string): void {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "") return;
    const values = this.fields.get(name) ?? [];
    values.push(value);
    this.fields.set(name, values);
  }

  private event(): ServerEvent | undefined {
    const { fields } = this;
    this.fields = new Map();
    if (fields.size === 0) return undefined;
    const last = (name: string): string | undefined => fields.get(name)?.at(-1);
    const [data, id, retry] = [fields.get("data")?.join("\n"), last("id"), last("retry")];
    return {
      event: last("event") || "message",
      data,
      id,
      retry,
    };
  }
}

/** An event as it is written; its data is one line. */
export function writtenEvent({ event, data, id, retry }: ServerEvent): string {
  const lines = [
    // What only tells where to go on has no name.
    ...(data === undefined || data === "" ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(data === undefined ? [] : [`data: ${data}`]),
  ];
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}
