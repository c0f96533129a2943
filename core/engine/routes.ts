import type { Action, BodyKind, Call, PluginRoute, Reply, Resource, Route, Rule } from '@tapline/plugin-sdk';
import type { Compiled, Engine } from './compile.ts';
import { etagOf } from './etag.ts';
import { reserved } from './filter-key.ts';
import { selectRows } from './list.ts';
import { listPage } from './list-page.ts';
import { findRow, requireRule } from './lookup.ts';
import type { Proof } from './prepared.ts';
import { alias } from './sql.ts';
import { sublistEndpoints } from './sublists.ts';
import { knownSublists } from './links.ts';
import type { WriteMode } from './schema.ts';
import { createRow, deleteRow, noMatch, updateRow } from './write.ts';

/** One method of a path. The body is read between `prepare` and `run`: 404 and 403 come before what is wrong with it. */
export interface Endpoint {
  rule: Rule;
  /** looks up the row and checks access to it */
  prepare?: (call: Call) => Promise<any>;
  /** the same for a caller who is only believed to be who it was: finds nothing unless the proof holds. For what is asked often */
  prepareProving?: (call: Call, proof: Proof) => Promise<any>;
  run: (call: Call, row: any) => Promise<Reply>;
  /** JSON unless said */
  body?: BodyKind;
  /** starts a run and answers with this status */
  launches?: number;
}

export type RouteKind = 'list' | 'detail' | 'sublist' | 'action' | 'list action' | 'route';

export interface CompiledRoute {
  path: string;
  kind: RouteKind;
  /** the resource that it belongs to */
  type?: string;
  /** name of the sublist or action */
  name?: string;
  endpoints: Record<string, Endpoint>;
  formats: readonly string[];
  /** what OPTIONS says of a route of its own */
  describe?: Route['describe'];
  /** of a route of its own: what the description of the API says of it */
  described?: Pick<PluginRoute, 'summary' | 'fields' | 'takes' | 'answers' | 'openapi'>;
}

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** `GET, POST, HEAD, OPTIONS`: the same for every caller. */
export function allowOf({ endpoints }: CompiledRoute): string {
  const methods = methodOrder.filter((method) => endpoints[method]);
  return [...methods, ...(endpoints.GET ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/** Two routes that answer the same requests. */
export class DoublePath extends Error {
  readonly paths: readonly string[];

  constructor(...paths: string[]) {
    super(`the path ${[...new Set(paths)].join(' or ')} is declared twice`);
    this.paths = paths;
  }
}

/** What a path is whatever its parameters are called. */
export const pathShape = (path: string) => path.replaceAll(/:\w+/g, ':');

/** Every path of the service. Throws where one does not state its access, or two are the same. */
export function compileRoutes(
  engine: Engine,
  resources: readonly Resource[],
  routes: readonly PluginRoute[],
): CompiledRoute[] {
  const table = [
    ...routes.map((route) => ownRoute(engine, route)),
    ...resources.flatMap(({ type }) => resourceRoutes(engine, engine.type(type))),
  ];
  const seen = new Map<string, string>();
  for (const { path, endpoints } of table) {
    const twin = seen.get(pathShape(path));
    if (twin !== undefined) throw new DoublePath(twin, path);
    seen.set(pathShape(path), path);
    for (const [method, { rule }] of Object.entries(endpoints))
      if (typeof rule?.row !== 'function') throw new Error(`${method} ${path} does not state its access`);
    if (!Object.keys(endpoints).length) throw new Error(`${path} has no method with an access rule`);
  }
  return table;
}

function ownRoute(engine: Engine, route: PluginRoute): CompiledRoute {
  const { path, access, handler, lists, formats = [], describe, summary, fields, takes, answers, openapi } = route;
  if (!path.endsWith('/')) throw new Error(`the path ${path} must end with a slash`);
  const endpoints = Object.entries(access).map(([method, rule]) => [
    method,
    {
      rule,
      prepare: (call: Call) => requireRule(engine, rule, call, undefined),
      run: handler,
      body: route.body,
      launches: method === 'POST' ? route.launches : undefined,
    },
  ]);
  return {
    path,
    kind: 'route',
    type: lists,
    endpoints: Object.fromEntries(endpoints),
    formats,
    describe,
    described: { summary, fields, takes, answers, openapi },
  };
}

function resourceRoutes(engine: Engine, model: Compiled): CompiledRoute[] {
  const { resource, type } = model;
  const base = `/api/v2/${resource.path}/`;
  const parent = (call: Call, proof?: Proof) => findRow(engine, model, call, proof);
  const actions = (
    kind: 'action' | 'list action',
    declared: Record<string, Action> = {},
    at: string,
  ): CompiledRoute[] =>
    Object.entries(declared).map(([name, action]) => ({
      path: `${at}${name}/`,
      kind,
      type,
      name,
      endpoints: actionEndpoints(engine, action, kind === 'action' ? parent : undefined),
      formats: action.formats ?? [],
    }));
  const sublists: CompiledRoute[] = knownSublists(engine.models, resource).map(([name, sublist]) => ({
    path: `${base}:id/${name}/`,
    kind: 'sublist',
    type,
    name,
    endpoints: sublistEndpoints(engine, model, name, sublist, parent),
    formats: [],
  }));
  return [
    { path: base, kind: 'list' as const, type, endpoints: listEndpoints(engine, model, base), formats: [] },
    ...actions('list action', resource.listActions, base),
    {
      path: `${base}:id/`,
      kind: 'detail' as const,
      type,
      endpoints: detailEndpoints(engine, model, parent),
      formats: [],
    },
    ...sublists,
    ...actions('action', resource.actions, `${base}:id/`),
  ].filter(({ kind, endpoints }) => !((kind === 'list' || kind === 'detail') && !Object.keys(endpoints).length));
}

function actionEndpoints(
  engine: Engine,
  { access, handler, launches }: Action,
  parent?: (call: Call, proof?: Proof) => Promise<any>,
): Record<string, Endpoint> {
  const endpoints = Object.entries(access).map(([method, rule]) => {
    const prepare = async (call: Call, proof?: Proof) => {
      const row = await parent?.(call, proof);
      await requireRule(engine, rule, call, row);
      return row;
    };
    const starts = method === 'POST' ? launches : undefined;
    const prepareProving = starts && parent ? prepare : undefined;
    return [method, { rule, prepare, prepareProving, run: handler, launches: starts }];
  });
  return Object.fromEntries(endpoints);
}

/** The methods that exist: as declared, else those whose rule is stated. */
function offered(model: Compiled, view: 'list' | 'detail', rules: Record<string, Rule | undefined>): string[] {
  const { methods, type } = model.resource;
  const declared = methods?.[view];
  const silent = declared?.find((method) => !rules[method]);
  if (silent) throw new Error(`resource ${type}: its ${view} offers ${silent} but states no access for it`);
  return declared ? [...declared] : Object.keys(rules).filter((method) => rules[method]);
}

const pick = (all: Record<string, Endpoint>, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, all[name]!]));

function listEndpoints(engine: Engine, model: Compiled, path: string): Record<string, Endpoint> {
  const { access, listHeaders } = model.resource;
  const names = offered(model, 'list', { GET: access.see, POST: access.create });
  return pick(
    {
      GET: {
        rule: access.see,
        run: async (call) => ({
          status: 200,
          headers: listHeaders?.(call),
          body: await listPage(engine, model, call, path),
        }),
      },
      POST: { rule: access.create!, run: (call) => createReply(engine, model, call) },
    },
    names,
  );
}

async function createReply(engine: Engine, model: Compiled, call: Call): Promise<Reply> {
  const id = await createRow(engine, model, call);
  const [created] = await engine.represent(model.type, [id], call);
  return { status: 201, body: created, headers: { Location: model.url(id) } };
}

function detailEndpoints(
  engine: Engine,
  model: Compiled,
  row: (call: Call, proof?: Proof) => Promise<any>,
): Record<string, Endpoint> {
  const { access, deleteStatus = 204 } = model.resource;
  const guarded = (rule: Rule) => async (call: Call) => {
    const found = await row(call);
    await requireRule(engine, rule, call, found);
    return found;
  };
  const update = (mode: WriteMode): Endpoint => ({
    rule: access.change!,
    prepare: guarded(access.change!),
    run: async (call, { id }) => {
      const row = await updateRow(engine, model, call, id, mode);
      // RFC 9110 §9.3.4: the answer to a PUT has none, since what was sent is not what is stored, byte for byte
      const tag = mode === 'patch' ? etagOf(model, row) : undefined;
      return { status: 200, body: (await engine.represent(model.type, [id], call))[0], headers: tagged(tag) };
    },
  });
  const remove: Endpoint['run'] = async (call, { id }) => {
    await deleteRow(engine, model, call, id);
    return { status: deleteStatus };
  };
  const names = offered(model, 'detail', {
    GET: access.see,
    PUT: access.change,
    PATCH: access.change,
    DELETE: access.delete,
  });
  return pick(
    {
      GET: {
        rule: access.see,
        prepare: row,
        prepareProving: row,
        run: (call, found) => detailReply(engine, model, call, found),
      },
      PUT: update('replace'),
      PATCH: update('patch'),
      DELETE: { rule: access.delete!, prepare: guarded(access.delete!), run: remove },
    },
    names,
  );
}

const tagged = (tag: string | undefined) => (tag === undefined ? undefined : { ETag: tag });

/** Filters hold for a detail as well: one that does not match is not there. */
async function detailReply(engine: Engine, model: Compiled, call: Call, row: any): Promise<Reply> {
  if ([...call.query.keys()].some((key) => !reserved.has(key) || key === 'search' || key === 'type')) {
    const [match] = await selectRows(engine, model, call)
      .whereRaw(`${model.id(alias)} = ?`, [row.id])
      .select(engine.db.raw('1'))
      .limit(1);
    if (!match) throw noMatch(model.resource);
  }
  const [body] = await model.serializer.rows(engine.db, [row], call, 'detail');
  return { status: 200, body, headers: tagged(etagOf(model, row)) };
}
