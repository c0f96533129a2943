import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { type HttpRequest, type HttpService, OutboundError } from '@tapline/plugin-sdk';
import type { Agent, Dispatcher } from 'undici';
import { assertReachable, bare, judgedLookup } from './addresses.ts';

interface Deps {
  settings: { get(key: 'OUTBOUND_ALLOWED_NETWORKS'): readonly string[] };
  userAgent: string;
}

const defaultTimeoutMs = 10_000;
const longestTimeoutMs = 120_000;
const defaultMaxBytes = 1_048_576;
const schemes = new Set(['http:', 'https:']);

/** A hundred modules, loaded with the first request: most services start without ever sending one. */
const loadClient = () => import('undici');
type Client = Awaited<ReturnType<typeof loadClient>>;

export type Outbound = ReturnType<typeof createOutbound>;

/**
 * Requests to addresses that users gave. The address is judged before anything is sent to it, for literals and for every
 * address that a name stands for; redirects are answers, not followed; size and time are bounded.
 */
export function createOutbound({ settings, userAgent }: Deps): HttpService & { close(): Promise<void> } {
  const agents = new Map<string, Agent>();
  const allowedFor = (trusted: boolean) => (trusted ? undefined : () => settings.get('OUTBOUND_ALLOWED_NETWORKS'));
  const agentFor = (client: Client, verifyTls: boolean, trusted: boolean) => {
    const key = `${verifyTls} ${trusted}`;
    const found = agents.get(key) ?? makeAgent(client, { rejectUnauthorized: verifyTls }, allowedFor(trusted));
    agents.set(key, found);
    return found;
  };
  return {
    async request(address, options = {}) {
      const url = readAddress(address);
      const { verifyTls = true, trusted = false, maxBytes = defaultMaxBytes, cut = false } = options;
      if (!trusted) checkLiteral(url, settings.get('OUTBOUND_ALLOWED_NETWORKS'));
      const client = await loadClient();
      // what a caller shows of itself is for this one request
      const own = ownTls(options) && makeAgent(client, ownTls(options)!, allowedFor(trusted));
      try {
        const dispatcher = own ?? agentFor(client, verifyTls, trusted);
        const reply = await client.request(url, { ...sent(options, userAgent), dispatcher });
        return {
          status: reply.statusCode,
          headers: plainHeaders(reply.headers),
          body: await readBody(reply.body, { maxBytes, cut }, url),
        };
      } catch (error) {
        throw explained(error, url);
      } finally {
        await own?.destroy();
      }
    },
    close: async () => void (await Promise.all([...agents.values()].map((agent) => agent.close()))),
  };
}

function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !schemes.has(url.protocol))
    throw new OutboundError(`"${address.slice(0, 200)}" is no http or https address.`);
  if (url.username || url.password)
    throw new OutboundError('An address must not carry a user name or password: send a header.');
  return url;
}

/** Names are judged when they are resolved; a literal never is. URL has turned `0x7f.1` and `2130706433` into 127.0.0.1. */
function checkLiteral({ hostname }: URL, allowed: readonly string[]): void {
  const host = bare(hostname);
  if (isIP(host)) assertReachable(host, host, allowed);
}

function sent({ method = 'GET', headers, body, timeoutMs = defaultTimeoutMs }: HttpRequest, userAgent: string) {
  return {
    method,
    headers: { 'user-agent': userAgent, ...headers },
    body,
    signal: AbortSignal.timeout(Math.min(longestTimeoutMs, timeoutMs)),
  };
}

interface TlsOptions {
  rejectUnauthorized: boolean;
  ca?: string[];
  cert?: string;
  key?: string;
}

function ownTls({ tls = {}, verifyTls = true }: HttpRequest): TlsOptions | undefined {
  const { ca, cert, key } = tls;
  if (!ca && !cert) return undefined;
  return {
    rejectUnauthorized: verifyTls,
    ...(ca && { ca: [...rootCertificates, ca] }),
    ...(cert && { cert, key: key ?? '' }),
  };
}

/** `allowed` absent: the address comes from the deployment and may be anywhere. */
function makeAgent({ Agent, buildConnector }: Client, own: TlsOptions, allowed?: () => readonly string[]): Agent {
  const tls = { ...own, timeout: defaultTimeoutMs };
  if (!allowed) return new Agent({ connect: tls });
  const connect = buildConnector({ ...tls, lookup: judgedLookup(allowed) });
  return new Agent({
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        try {
          // the settings may have changed, and the system may have its own idea of a name
          assertReachable(bare(options.hostname), socket.remoteAddress ?? '', allowed());
          callback(null, socket);
        } catch (refusal) {
          socket.destroy();
          callback(refusal as Error, null);
        }
      }),
  });
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  { maxBytes, cut }: Required<Pick<HttpRequest, 'maxBytes' | 'cut'>>,
  { host }: URL,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let left = maxBytes;
  try {
    for await (const part of body) {
      if (part.length > left && !cut)
        throw new OutboundError(`The answer of ${host} is longer than ${maxBytes} bytes.`);
      parts.push(part.subarray(0, left));
      left -= part.length;
      if (left <= 0 && cut) break;
    }
  } catch (error) {
    if (!cut) throw error;
  }
  return Buffer.concat(parts);
}

const plainHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

/** One kind of error for callers; the address's path and query stay out of it, they may hold a key. */
function explained(error: unknown, { host }: URL): OutboundError {
  if (error instanceof OutboundError) return error;
  const { cause, message, name } = error as Error;
  if (cause instanceof OutboundError) return cause;
  const reason = name === 'TimeoutError' ? 'it did not answer in time' : message;
  return new OutboundError(`${host} could not be asked: ${reason}`, { cause: error });
}
