import type { Engine } from '../../core/engine/compile.ts';
import { checkOf } from './described.ts';
import { send } from './send.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** parsed when it is JSON, else the text */
  body: any;
  text: string;
}

export interface Question {
  method: string;
  /** from the root on */
  path: string;
  authorization?: string;
  /** sent as it is when it is text or bytes, else as JSON */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Service {
  url: string;
  services: { engineApi: Engine };
}

export const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Asks a service. Throws where the answer is not what the service's own description of its API tells. */
export async function ask({ url, services }: Service, question: Question): Promise<Answer> {
  const { method, path, authorization, body, headers = {} } = question;
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const address = new URL(path, url);
  const reply = await send(address, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : raw ? (body as string | Uint8Array) : JSON.stringify(body),
  });
  const { text } = reply;
  const json = reply.headers.get('content-type')?.includes('json') && text !== '';
  const answer = { status: reply.status, headers: reply.headers, body: json ? JSON.parse(text) : text, text };
  // pages and what watches the service are no part of the API
  if (!address.pathname.startsWith('/api/')) return answer;
  const sent = raw ? undefined : body;
  const lies = checkOf(services.engineApi)({ method, path: address.pathname, body: sent, answer });
  if (lies.length) throw new Error(`not as the API describes itself: ${lies.join('; ')}`);
  return answer;
}
