import { cookie, t } from '@tapline/console-kit';

/** An answer of the API as it came, whatever it says. */
export interface Answer {
  method: string;
  path: string;
  /** 0: the service could not be reached */
  status: number;
  statusText: string;
  headers: [string, string][];
  /** undefined where it is not JSON */
  body: unknown;
  text: string;
  milliseconds: number;
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** @param body JSON text, sent as it is: the service says what is wrong with it */
export async function ask(method: string, path: string, body?: string): Promise<Answer> {
  const began = performance.now();
  const headers = {
    Accept: 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(writes.has(method) ? { 'X-CSRFToken': cookie('csrftoken') ?? '' } : {}),
  };
  const answer = { method, path, statusText: '', headers: [], body: undefined, text: '' };
  try {
    const response = await fetch(path, { method, headers, body: body ?? null, credentials: 'same-origin' });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      ...answer,
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      body: isJson ? JSON.parse(text) : undefined,
      text,
      milliseconds: performance.now() - began,
    };
  } catch {
    const text = t`The service cannot be reached. Is it running, and are you online?`;
    return { ...answer, status: 0, text, milliseconds: performance.now() - began };
  }
}
