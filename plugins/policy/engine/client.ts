import type { PluginApi } from '@tapline/plugin-sdk';
import { engineSettings } from '../settings.ts';
import { outwardProblem, outwardRefs } from './module-text.ts';

/** The engine gave no usable answer; the message says why. */
export class EngineError extends Error {
  override name = 'EngineError';
  /** of its answer; undefined: there was none, or it was no answer of such an engine */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export type Engine = ReturnType<typeof createEngine>;

const mostBytes = 4 * 1_048_576;
const longest = 2000;

/** The policy engine's REST API: connections are kept, redirects are no answers. */
export function createEngine(api: Pick<PluginApi, 'http' | 'settings'>) {
  const ask = asker(api);
  async function read(id: string): Promise<{ raw: string; ast?: unknown } | undefined> {
    const { status, body } = await ask('GET', `/v1/policies/${id}`);
    if (status === 404) return undefined;
    const { raw, ast } = (body as { result?: { raw?: unknown; ast?: unknown } } | undefined)?.result ?? {};
    if (status !== 200 || typeof raw !== 'string') throw failure(status, body);
    return { raw, ast };
  }
  async function remove(id: string): Promise<void> {
    const { status, body } = await ask('DELETE', `/v1/policies/${id}`);
    if (status !== 200 && status !== 404) throw failure(status, body);
  }
  return {
    /** One that would reach out of the engine is taken away again. @throws EngineError with what the engine says of the module */
    async push(id: string, module: string): Promise<void> {
      const { status, body } = await ask('PUT', `/v1/policies/${id}`, module, 'text/plain');
      if (status !== 200 || body === undefined) throw failure(status, body);
      const outward = outwardRefs((await read(id))?.ast);
      if (!outward.length) return;
      await remove(id);
      throw new EngineError(outwardProblem(outward), 400);
    },
    remove,
    /** the module as the engine holds it */
    held: async (id: string): Promise<string | undefined> => (await read(id))?.raw,
    /** ids of the modules that it holds */
    async list(): Promise<string[]> {
      const { status, body } = await ask('GET', '/v1/policies');
      const result = (body as { result?: unknown } | undefined)?.result;
      if (status !== 200 || (result !== undefined && !Array.isArray(result))) throw failure(status, body);
      return ((result ?? []) as { id?: unknown }[]).map(({ id }) => String(id));
    },
    /** undefined: nothing is defined there */
    async evaluate(path: string, input: unknown): Promise<unknown> {
      const { status, body } = await ask('POST', `/v1/data/${path}`, JSON.stringify({ input }));
      if (status !== 200 || typeof body !== 'object' || body === null || Array.isArray(body))
        throw failure(status, body);
      return (body as { result?: unknown }).result;
    },
  };
}

function asker(api: Pick<PluginApi, 'http' | 'settings'>) {
  return async function ask(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: string,
    type = 'application/json',
  ) {
    const { url, timeoutMs } = engineSettings(api);
    const answer = await api.http
      .request(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { body, headers: { 'content-type': type } }),
        timeoutMs,
        maxBytes: mostBytes,
        trusted: true,
      })
      .catch((error: Error) => {
        throw new EngineError(error.message);
      });
    return { status: answer.status, body: parsed(answer.body.toString('utf8')) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Complaint {
  message?: unknown;
  errors?: { message?: unknown; location?: { row?: unknown } }[];
}

/** In the engine's own words where it has any. */
function failure(status: number, body: unknown): EngineError {
  const { message, errors } = (typeof body === 'object' && body !== null ? body : {}) as Complaint;
  const lines = Array.isArray(errors)
    ? errors.map(({ message: text, location }) => `line ${String(location?.row ?? '?')}: ${String(text)}`)
    : [];
  const said = [...(typeof message === 'string' ? [message] : []), ...lines].join('\n');
  return new EngineError(
    said.slice(0, longest) || `The policy engine gave no usable answer (status ${status}).`,
    status,
  );
}
