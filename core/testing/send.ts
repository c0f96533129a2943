import { Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';

export interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Tests ask some hundred thousand times: `fetch` would take longer than most answers. */
const agent = new Agent({ keepAlive: true });
/** ends what hangs */
const timeout = 120_000;

/** Sends a request as `fetch` would, following no redirects. */
export function send(url: URL, { method, headers, body }: Sent): Promise<Received> {
  // node states no length for methods that seldom have a body
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options: RequestOptions = { method, agent, timeout, headers: { accept: '*/*', ...length, ...headers } };
  return new Promise((resolve, reject) => {
    const asked = request(url, options, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (part: string) => void (text += part));
      reply.on('error', reject);
      reply.on('end', () => resolve({ status: reply.statusCode!, headers: headersOf(reply), text }));
    });
    asked.on('timeout', () => asked.destroy(new Error(`${method} ${url}: no answer in ${timeout} ms`)));
    // the service may close a connection in the very moment in which it is used again
    asked.on('error', (error: NodeJS.ErrnoException) =>
      asked.reusedSocket && error.code === 'ECONNRESET' ? resolve(send(url, { method, headers, body })) : reject(error),
    );
    asked.end(body);
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}
