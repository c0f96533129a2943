import type { Actor, Call, Named, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { headerCalled } from '../config/named-alike.ts';
import type { Catalog } from './compile.ts';
import { writeList } from './formats/write-list.ts';
import { selectRows } from './read/list.ts';
import { listPage } from './read/list-page.ts';
import { copySides } from './extend/side-rows.ts';

export type CallParts = Partial<
  Omit<
    Call,
    | 'represent'
    | 'copyExtensions'
    | 'written'
    | 'linked'
    | 'visible'
    | 'list'
    | 'rows'
    | 'write'
    | 'signal'
    | 'headers'
    | 'header'
  >
> & {
  path?: string;
};

/** Who reads what the service itself shows or counts, where rights were asked about before. */
export const serviceItself: Actor = {
  id: 0,
  username: '',
  is_superuser: true,
  is_system_auditor: false,
  read_only: true,
  via: 'system',
};

interface RequestParts {
  signal: () => AbortSignal;
  headers: () => Record<string, string>;
}

async function tellWritten(
  catalog: Catalog,
  trx: Knex,
  call: Call,
  {
    type,
    row,
    before,
    more,
  }: { type: string; row: Row; before?: Row | undefined; more?: Record<string, unknown> | undefined },
): Promise<void> {
  const model = catalog.type(type);
  const write = { trx, actor: call.actor, rows: [row], ...(before ? { before: [before] } : {}) };
  await catalog.doors?.check(type, before ? 'update' : 'create', write);
  if (before) await catalog.activity?.updated(trx, catalog, call, { model, row, before, more });
  else await catalog.activity?.created(trx, catalog, call, { model, row });
}

interface Link {
  parent: Named;
  relation: string;
  child: Named;
  detach: boolean;
}

async function tellLinked(catalog: Catalog, trx: Knex, call: Call, { parent, relation, child, detach }: Link) {
  const side = async ({ type, id }: Named) => {
    const model = catalog.type(type);
    return { model, row: (await trx(model.table).where({ id }).first()) as Row };
  };
  const [above, below] = [await side(parent), await side(child)];
  await catalog.doors?.check(parent.type, detach ? 'detach' : 'attach', {
    trx,
    actor: call.actor,
    rows: [below.row],
    parent: above.row,
    relation,
    type: child.type,
  });
  const operation = detach ? 'disassociate' : 'associate';
  await catalog.activity?.linked(trx, catalog, call, { operation, relation, parent: above, child: below });
}

/** A call with the catalog's services bound to it; what is not given is empty, as for work without a request. */
export function makeCall(catalog: Catalog, { path = '', ...parts }: CallParts, request?: RequestParts): Call {
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
    header: (name) => headerCalled(call.headers, name),
    represent: (type, ids, view) => catalog.represent(type, ids, call, view),
    copyExtensions: (trx, type, from, to) => copySides(catalog, catalog.type(type), trx, call.actor, { from, to }),
    written: (trx, type, row, before, more) => tellWritten(catalog, trx, call, { type, row, before, more }),
    linked: (trx, parent, relation, child, detach) =>
      tellLinked(catalog, trx, call, { parent, relation, child, detach }),
    visible: async (type, ids) => {
      if (!ids.length) return new Set();
      const rows = await catalog.visible(
        type,
        call.actor,
        (builder, alias) => void builder.whereRaw(`${catalog.type(type).id(alias)} = any (?::bigint[])`, [[...ids]]),
      );
      return new Set(rows.map(({ id }: { id: number | string }) => Number(id)));
    },
    list: async (type, narrow) => ({
      status: 200,
      body: await listPage(catalog, catalog.type(type), call, path, { narrow }),
    }),
    rows: (type, narrow) => selectRows(catalog, catalog.type(type), call, narrow),
    write: async (type, format, narrow) => {
      const model = catalog.type(type);
      const found = model.resource.formats?.[format];
      if (!found) throw new Error(`lists of ${type} have no format ${format}`);
      return writeList(catalog, model, call, found, { narrow });
    },
  };
  return call;
}
