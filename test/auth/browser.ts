import { request as httpRequest } from 'node:http';

export interface Page {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  location: string | undefined;
  /** Set-Cookie texts by cookie name */
  setCookies: Record<string, string>;
  text: string;
  /** parsed when it is JSON */
  body: any;
}

export interface Sent {
  form?: Record<string, string> | string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** A client with a cookie jar that sends exactly the headers it is told to and follows no redirect. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  get csrf(): string {
    return this.cookies.get('csrftoken') ?? '';
  }

  get sessionId(): string {
    return this.cookies.get('tapline_sessionid') ?? '';
  }

  async send(method: string, path: string, { form, json, headers = {} }: Sent = {}): Promise<Page> {
    const body =
      form === undefined
        ? json === undefined
          ? undefined
          : JSON.stringify(json)
        : typeof form === 'string'
          ? form
          : new URLSearchParams(form).toString();
    const all: Record<string, string> = { ...headers };
    if (this.cookies.size) all.cookie ??= [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (body !== undefined) {
      all['content-type'] ??= form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
      all['content-length'] = String(Buffer.byteLength(body));
    }
    const page = await exchange(`${this.#url}${path}`, method, all, body);
    for (const [name, text] of Object.entries(page.setCookies)) {
      const value = text.slice(name.length + 1).split(';', 1)[0]!;
      if (/Max-Age=0(;|$)/.test(text)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return page;
  }

  get = (path: string, headers: Record<string, string> = {}) => this.send('GET', path, { headers });

  /** With the token that a script would take from the cookie. */
  change = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    this.send(method, path, { json, headers: { 'x-csrftoken': this.csrf, ...headers } });

  async login(username: string, password: string, next = '/api/'): Promise<Page> {
    if (!this.csrf) await this.get('/api/login/');
    return this.send('POST', '/api/login/', {
      form: { username, password, next },
      headers: { 'x-csrftoken': this.csrf },
    });
  }
}

function exchange(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<Page> {
  return new Promise((resolve, reject) => {
    const req = httpRequest(url, { method, headers, timeout: 150_000 }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      res.on('error', reject).on('end', () => {
        const setCookies = Object.fromEntries(
          (res.headers['set-cookie'] ?? []).map((one) => [one.split('=', 1)[0]!, one]),
        );
        const body = String(res.headers['content-type']).includes('json') && text !== '' ? JSON.parse(text) : undefined;
        resolve({
          status: res.statusCode!,
          headers: res.headers,
          location: res.headers.location,
          setCookies,
          text,
          body,
        });
      });
    });
    req.on('timeout', () => req.destroy(new Error(`${method} ${url} did not answer`))).on('error', reject);
    req.end(body);
  });
}

/** The hidden and visible fields of a page's form, as a browser would send them. */
export function formFields(html: string): Record<string, string> {
  const unescape = (text: string) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  const inputs = [...html.matchAll(/<input ([^>]*)>/g)].map(([, attributes]) =>
    Object.fromEntries(
      [...attributes!.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, unescape(value!)]),
    ),
  );
  return Object.fromEntries(inputs.filter(({ name }) => name).map(({ name, value }) => [name, value ?? '']));
}
