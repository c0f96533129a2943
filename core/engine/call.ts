import type { Call } from '@tapline/plugin-sdk';
import type { Engine } from './compile.ts';
import { listPage } from './list-page.ts';

export type CallParts = Partial<Omit<Call, 'represent' | 'visible' | 'list' | 'signal'>> & { path?: string };

/** A call with the engine's services bound to it; what is not given is empty, as for work without a request. */
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
    visible: async (type, ids) => {
      if (!ids.length) return new Set();
      const rows = await engine.visible(
        type,
        call.actor,
        (builder, alias) => void builder.whereRaw(`${engine.type(type).id(alias)} = any (?::bigint[])`, [[...ids]]),
      );
      return new Set(rows.map(({ id }: { id: number | string }) => Number(id)));
    },
    list: async (type, narrow) => ({
      status: 200,
      body: await listPage(engine, engine.type(type), call, path, { narrow }),
    }),
  };
  return call;
}
