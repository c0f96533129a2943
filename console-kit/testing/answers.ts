/** By path below /api/v2/, with its query; with a method in front (`POST holds/`) for what is no GET. */
export type Answers = Record<string, unknown>;

export interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** In place of the service until `end`: what was not given is a 404. */
export function answering(answers: Answers): { asked: Asked[]; end: () => void } {
  const asked: Asked[] = [];
  const before = globalThis.fetch;
  globalThis.fetch = async (input, { method = 'GET', body } = {}) => {
    const path = String(input).replace(/^\/api\/v2\//, '');
    asked.push({ method, path, body: typeof body === 'string' ? JSON.parse(body) : undefined });
    const key = method === 'GET' ? path : `${method} ${path}`;
    const known = Object.hasOwn(answers, key);
    return Response.json(known ? answers[key] : { detail: `Nobody answers ${key}.` }, { status: known ? 200 : 404 });
  };
  return { asked, end: () => void (globalThis.fetch = before) };
}
