import type { Action, Call, Row } from '@tapline/plugin-sdk';
import type { Catalog, Compiled } from '../compile.ts';
import { requireRule } from '../read/lookup.ts';
import type { Extent } from '../read/sql.ts';
import { bodyReader } from '../write/body-fields.ts';
import type { CompiledRoute, Endpoint } from './routes.ts';

type FindRow = (call: Call, extent: Extent) => Promise<Row>;

/** The actions of a row, which `findRow` finds, or those of the list. */
export function actionRoutes(
  catalog: Catalog,
  { resource, type }: Compiled,
  kind: 'action' | 'list action',
  findRow?: FindRow,
): CompiledRoute[] {
  const { actions, listActions } = resource;
  const base = `/api/v2/${resource.path}/${kind === 'action' ? ':id/' : ''}`;
  return Object.entries((kind === 'action' ? actions : listActions) ?? {}).map(([name, action]) => {
    const { lists, formats = [], deprecated } = action;
    if (lists !== undefined && !catalog.models.has(lists))
      throw new Error(`resource ${type}: its action ${name} lists ${lists}, a type that nobody declares`);
    return {
      path: `${base}${name}/`,
      kind,
      type,
      name,
      endpoints: actionEndpoints(catalog, action, findRow),
      formats,
      deprecated,
    };
  });
}

function actionEndpoints(catalog: Catalog, action: Action, findRow?: FindRow): Record<string, Endpoint> {
  const endpoints = Object.entries(action.access).map(([method, rule]) => {
    const { receives, handler } = action;
    if (receives && method === 'POST')
      return [
        method,
        { rule, prepare: named, run: handler, body: { kind: 'raw' as const, limitBytes: receives.limitBytes } },
      ];
    const prepare = async (call: Call) =>
      requireRule(catalog, rule, call, await findRow?.(call, action.bareRow ? 'bare' : 'whole'));
    const starts = method === 'POST' ? action.launches : undefined;
    return [
      method,
      { rule, prepare, run: readingBody(catalog, action, method), launches: starts, previews: action.previews },
    ];
  });
  return Object.fromEntries(endpoints);
}

/** By its number only: a name would have to be looked up for somebody who may see nothing. */
const named = async ({ params }: Call): Promise<Row> => ({
  id: /^[1-9]\d{0,14}$/.test(params.id ?? '') ? Number(params.id) : 0,
});

const withBody = new Set(['POST', 'PUT', 'PATCH']);

/** The handler, which is given the body as its `fields` say unless it reads the body itself. */
export function readingBody(
  catalog: Catalog,
  { fields, validate, handler }: Pick<Action, 'fields' | 'validate' | 'handler'>,
  method: string,
): Endpoint['run'] {
  if (!fields || validate === false || !withBody.has(method)) return handler;
  const read = bodyReader(catalog, fields);
  return async (call, row) => {
    call.body = await read(call);
    return handler(call, row);
  };
}
