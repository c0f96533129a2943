/** An answer that says no. */
export class CallError extends Error {
  readonly status: number;
  readonly text: string;

  constructor(message: string, status: number, text: string) {
    super(message);
    this.status = status;
    this.text = text;
  }
}

/** The few calls that the demo makes, over plain HTTP as any client would. */
export class Client {
  private readonly base: string;
  private readonly authorization: string;

  constructor(base: string, user: string, password: string) {
    this.base = base;
    this.authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  async call(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await fetch(`${this.base}/api/v2/${path}`, {
      method,
      headers: { authorization: this.authorization, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok)
      throw new CallError(`${method} /api/v2/${path} answered ${reply.status}: ${text}`, reply.status, text);
    return text === '' ? undefined : JSON.parse(text);
  }

  async one(path: string, name: string): Promise<any> {
    const found = await this.call('GET', `${path}/?name=${encodeURIComponent(name)}`);
    if (found.count !== 1) throw new Error(`expected one of ${path} named "${name}", found ${found.count}`);
    return found.results[0];
  }
}
