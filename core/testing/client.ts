import type { Answer, Asked, Client } from '@tapline/plugin-sdk/testing';
import { send } from './send.ts';

export const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export interface Question extends Asked {
  method: string;
  /** from the root on */
  path: string;
  authorization?: string;
}

/** Asks a service, and takes whatever it answers. */
export async function askService(
  url: string,
  { method, path, authorization, body, headers = {} }: Question,
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const reply = await send(new URL(path, url), {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
  });
  const { status, text } = reply;
  const json = reply.headers.get('content-type')?.includes('json') && text !== '';
  return { status, headers: reply.headers, body: json ? JSON.parse(text) : text, text };
}

/** Paths without a leading slash are below /api/v2/. */
export const fromRoot = (path: string) => (path.startsWith('/') ? path : `/api/v2/${path}`);

export function clientOf(url: string, authorization: string | undefined): Client {
  const request: Client['request'] = (method, path, asked = {}) =>
    askService(url, { method, path: fromRoot(path), authorization, ...asked });
  return {
    request,
    get: (path) => request('GET', path),
    post: (path, body = {}) => request('POST', path, { body }),
    patch: (path, body) => request('PATCH', path, { body }),
    put: (path, body) => request('PUT', path, { body }),
    delete: (path) => request('DELETE', path),
  };
}
