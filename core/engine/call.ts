import type { Call } from '@tapline/plugin-sdk';
import type { Engine } from './compile.ts';
import { listPage } from './list.ts';

export type CallParts = Partial<Omit<Call, 'represent' | 'list' | 'signal'>> & { path?: string };

/** A call with the engine's two services bound to it; what is not given is empty, as for work without a request. */
export function makeCall(engine: Engine, { path = '', ...parts }: CallParts, signalOf?: () => AbortSignal): Call {
  let signal: AbortSignal | undefined;
  const call: Call = {
    actor: null,
    method: 'GET',
    params: {},
    query: new URLSearchParams(),
    body: {},
    ip: '',
    requestId: '',
    ...parts,
    // made only for handlers that look at it
    get signal() {
      return (signal ??= signalOf?.() ?? new AbortController().signal);
    },
    represent: (type, ids, view) => engine.represent(type, ids, call, view),
    list: async (type, narrow) => ({
      status: 200,
      body: await listPage(engine, engine.type(type), call, path, { narrow }),
    }),
  };
  return call;
}
