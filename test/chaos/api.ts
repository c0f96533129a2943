import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  status: number;
  body: any;
}

/** The service did not answer: whether it did what it was asked is not known. */
export class NoAnswer extends Error {}

/** Requests to the service, as the administrator. */
export class Api {
  readonly port: number;
  authorization: string;

  constructor(port: number, password: string) {
    this.port = port;
    this.authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  }

  /** @throws NoAnswer */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    try {
      const reply = await fetch(`http://127.0.0.1:${this.port}/api/v2/${path}`, {
        method,
        headers: { authorization: this.authorization, 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await reply.text();
      const json = reply.headers.get('content-type')?.includes('json') === true;
      return { status: reply.status, body: json && text !== '' ? JSON.parse(text) : text };
    } catch (cause) {
      throw new NoAnswer(`${method} ${path}: no answer`, { cause });
    }
  }

  /** @throws unless it worked */
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
    return answer.body;
  }
}

/** Repeats until it works: the far side is being killed all the time. The limit only ends what hangs: busy machines are slow. */
export async function persist<T>(what: string, attempt: () => Promise<T>, timeoutMs = 600_000): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw new Error(`${what}: gave up`, { cause: error });
      await delay(200);
    }
  }
}
