/** Questions between two processes of Node that have a channel, and their answers. */

type Answers = { readonly [name: string]: (given: never) => unknown };

interface Message {
  /** The question's; its answer has the same. */
  readonly id: number;
  /** An answer has none. */
  readonly name?: string;
  readonly value?: unknown;
  readonly problem?: string;
}

interface Channel {
  send?(message: object, handle: undefined, options: undefined, done: (error: Error | null) => void): unknown;
  on(event: "message" | "disconnect", listener: (message: unknown) => void): unknown;
}

export class Peer {
  private last = 0;
  private readonly waiting = new Map<number, (answer: Message) => void>();
  private readonly channel: Channel;

  constructor(channel: Channel, answers: Answers) {
    this.channel = channel;
    channel.on("message", (message) => void this.hear(message as Message, answers));
    channel.on("disconnect", () => {
      for (const id of this.waiting.keys()) this.settle({ id, problem: "the other process has ended" });
    });
  }

  /** Rejects with the other side's error, when the other side is gone, and after a time. */
  ask<Answer>(name: string, value?: unknown, milliseconds?: number): Promise<Answer> {
    const id = ++this.last;
    const fail = (problem: string): void => this.settle({ id, problem });
    if (milliseconds !== undefined) setTimeout(fail, milliseconds, "the other process does not answer").unref();
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ value: answer, problem }) =>
        problem === undefined ? resolve(answer as Answer) : reject(new Error(problem)),
      );
      this.send({ id, name, value }, fail);
    });
  }

  private settle(answer: Message): void {
    this.waiting.get(answer.id)?.(answer);
    this.waiting.delete(answer.id);
  }

  private send(message: Message, fail: (problem: string) => void = () => undefined): void {
    this.channel.send?.(message, undefined, undefined, (error) => error && fail(error.message));
  }

  private async hear(message: Message, answers: Answers): Promise<void> {
    const { id, name, value } = message;
    if (name === undefined) return this.settle(message);
    try {
      this.send({ id, value: await answers[name]?.(value as never) });
    } catch (error) {
      this.send({ id, problem: (error as Error).message });
    }
  }
}
