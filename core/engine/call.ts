import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Engine } from './compile.ts';
import { listPage } from './list-page.ts';
import { copySides } from './side-rows.ts';

export type CallParts = Partial<
  Omit<Call, 'represent' | 'copyExtensions' | 'written' | 'visible' | 'list' | 'signal' | 'headers'>
> & {
  path?: string;
};

interface RequestParts {
  signal: () => AbortSignal;
  headers: () => Record<string, string>;
}

async function tellWritten(
  engine: Engine,
  trx: Knex,
  call: Call,
  { type, row, before }: { type: string; row: any; before?: any },
): Promise<void> {
  const model = engine.type(type);
  const write = { trx, actor: call.actor, rows: [row], ...(before ? { before: [before] } : {}) };
  await engine.doors?.check(type, before ? 'update' : 'create', write);
  if (before) await engine.activity?.updated(trx, engine, call, { model, row, before });
  else await engine.activity?.created(trx, engine, call, { model, row });
}

/** A call with the engine's services bound to it; what is not given is empty, as for work without a request. */
export function makeCall(engine: Engine, { path = '', ...parts }: CallParts, request?: RequestParts): Call {
  let signal: AbortSignal | undefined;
  let headers: Record<string, string> | undefined;
  const call: Call = {
    actor: null,
    method: 'GET',
    params: {},
    query: new URLSearchParams(),
    body: {},
    ip: '',
    requestId: '',
    ...parts,
    // made only for handlers that look at them
    get signal() {
      return (signal ??= request?.signal() ?? new AbortController().signal);
    },
    get headers() {
      return (headers ??= request?.headers() ?? {});
    },
    represent: (type, ids, view) => engine.represent(type, ids, call, view),
    copyExtensions: (trx, type, from, to) => copySides(engine, engine.type(type), trx, from, to),
    written: (trx, type, row, before) => tellWritten(engine, trx, call, { type, row, before }),
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
