import type { Socket } from 'node:net';
import type pg from 'pg';

/** A statement answered more than it may. */
export class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError';
  readonly most: number;

  constructor(most: number) {
    super(`The database's answer is larger than ${most} bytes.`);
    this.most = most;
  }
}

/** Beyond it a single value could exceed the longest text that there is (512 MiB). */
export const mostAnswerBytes = 536_000_000;

/** What the driver keeps of its connection, and its types do not tell. */
type Guarded = pg.ClientBase & {
  connection: { stream: Socket; on(event: 'readyForQuery', listener: () => void): void };
};

interface Limit {
  /** of every statement */
  usual: number;
  /** of the one that is asked next */
  next?: number;
}

const limits = new WeakMap<object, Limit>();

/** The next statement on the connection may answer so much. */
export function allowAnswer(client: object, bytes: number): void {
  const limit = limits.get(client);
  if (limit) limit.next = bytes;
}

/** Statements on the connection may answer so much from now on. */
export function limitAnswers(client: object, bytes: number): void {
  const limit = limits.get(client);
  if (limit) limit.usual = bytes;
}

/**
 * The driver holds an answer whole, and throws where nobody catches when it cannot. Here an answer that is too large, or
 * that the driver cannot read, ends its statement: with the connection, which the pool replaces, since the rest of the
 * answer is on its way.
 */
export function guardAnswers(client: pg.ClientBase): void {
  const { connection } = client as Guarded;
  const { stream } = connection;
  const [read] = stream.listeners('data') as ((chunk: Buffer) => void)[];
  const limit: Limit = { usual: mostAnswerBytes };
  limits.set(client, limit);
  let bytes = 0;
  connection.on('readyForQuery', () => {
    bytes = 0;
    limit.next = undefined;
  });
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    try {
      const most = limit.next ?? limit.usual;
      if (bytes > most) throw new AnswerTooLargeError(most);
      read!(chunk);
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
  stream.off('data', read!);
}
