import {
  type BodyKind,
  type Call,
  type Deprecation,
  type ListFormat,
  type PluginRoute,
  type Reply,
  type Resource,
  type Route,
  type Row,
  type Rule,
  listParameters,
} from '@tapline/plugin-sdk';
import type { Compiled, Catalog } from '../compile.ts';
import { etagOf } from '../write/etag.ts';
import { formatOf, writeList } from '../formats/write-list.ts';
import { selectRows } from '../read/list.ts';
import { listPage } from '../read/list-page.ts';
import { findRow, requireRule } from '../read/lookup.ts';
import { attributed } from '../../observe/plugin-error.ts';
import { alias } from '../read/sql.ts';
import { pathShape } from './paths.ts';
import { actionRoutes, readingBody } from './actions.ts';
import { sublistEndpoints } from './sublists.ts';
import { knownSublists } from '../links.ts';
import type { WriteMode } from '../write/schema.ts';
import { createRow, deleteRow, launchRow, noMatch, updateRow } from '../write/write.ts';

/** One method of a path. The body is read between `prepare` and `run`: 404 and 403 come before what is wrong with it. */
export interface Endpoint {
  rule: Rule;
  /** looks up the row and checks access to it */
  prepare?: (call: Call) => Promise<Row | undefined>;
  /** `row` is what `prepare` found; lists and routes of their own have none */
  run: (call: Call, row: Row) => Promise<Reply>;
  /** JSON unless said */
  body?: BodyKind;
  /** starts a run and answers with this status */
  launches?: number;
  /** but for `?preview=true` */
  previews?: true | undefined;
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
  /** whose it is, where it is no part of core */
  plugin?: string;
  /** of a list: what it is written as besides JSON */
  listFormats?: Readonly<Record<string, ListFormat>>;
  /** it is on its way out */
  deprecated?: Deprecation;
  /** what OPTIONS says of a route of its own */
  describe?: Route['describe'];
  /** of a route of its own: what the description of the API says of it */
  described?: Pick<PluginRoute, 'summary' | 'fields' | 'takes' | 'answers' | 'openapi'>;
}

/** A route that belongs to no resource. */
export type OwnRoute = PluginRoute & Pick<CompiledRoute, 'plugin'>;

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** `GET, POST, HEAD, OPTIONS`: the same for every caller. */
export function allowOf({ endpoints }: CompiledRoute, but: readonly string[] = []): string {
  const methods = methodOrder.filter((method) => endpoints[method] && !but.includes(method));
  return [...methods, ...(endpoints.GET ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/** Every path of the service. Throws where one does not state its access, or two are the same. */
export function compileRoutes(
  catalog: Catalog,
  resources: readonly Resource[],
  routes: readonly OwnRoute[],
  declaredBy: ReadonlyMap<string, { plugin: string }> = new Map(),
): CompiledRoute[] {
  const table = [
    ...routes.map((route) => ownRoute(catalog, route)),
    ...resources.flatMap(({ type }) => {
      const plugin = declaredBy.get(type)?.plugin;
      const own = attributed(plugin, 'compiling its routes', () => resourceRoutes(catalog, catalog.type(type)));
      return plugin === undefined ? own : own.map((route) => ({ ...route, plugin }));
    }),
  ];
  const seen = new Map<string, string>();
  for (const { path, endpoints } of table) {
    const twin = seen.get(pathShape(path));
    if (twin !== undefined) throw new Error(`the path ${[...new Set([twin, path])].join(' or ')} is declared twice`);
    seen.set(pathShape(path), path);
    for (const [method, { rule }] of Object.entries(endpoints))
      if (typeof rule?.row !== 'function') throw new Error(`${method} ${path} does not state its access`);
    if (!Object.keys(endpoints).length) throw new Error(`${path} has no method with an access rule`);
  }
  return table;
}

function ownRoute(catalog: Catalog, route: OwnRoute): CompiledRoute {
  const { path, access, handler, lists, formats = [], describe, plugin, deprecated } = route;
  const { summary, fields, takes, answers, openapi } = route;
  if (!path.endsWith('/')) throw new Error(`the path ${path} must end with a slash`);
  const endpoints = Object.entries(access).map(([method, rule]) => [
    method,
    {
      rule,
      prepare: (call: Call) => requireRule(catalog, rule, call, undefined),
      run: ['json', undefined].includes(route.body?.kind) ? readingBody(catalog, route, method) : handler,
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
    plugin,
    deprecated,
    describe,
    described: { summary, fields, takes, answers, openapi },
  };
}

function resourceRoutes(catalog: Catalog, model: Compiled): CompiledRoute[] {
  const { resource, type } = model;
  const base = `/api/v2/${resource.path}/`;
  const parent = (call: Call) => findRow(catalog, model, call);
  const sublists: CompiledRoute[] = knownSublists(catalog.models, resource).map(([name, sublist]) => ({
    path: `${base}:id/${name}/`,
    kind: 'sublist',
    type,
    name,
    endpoints: sublistEndpoints(catalog, model, name, sublist, parent),
    formats: [],
    listFormats: catalog.type(sublist.resource).resource.formats,
  }));
  return [
    {
      path: base,
      kind: 'list' as const,
      type,
      endpoints: listEndpoints(catalog, model, base),
      formats: [],
      listFormats: resource.formats,
    },
    ...actionRoutes(catalog, model, 'list action'),
    {
      path: `${base}:id/`,
      kind: 'detail' as const,
      type,
      endpoints: detailEndpoints(catalog, model, parent),
      formats: [],
    },
    ...sublists,
    ...actionRoutes(catalog, model, 'action', (call, extent) => findRow(catalog, model, call, extent)),
  ]
    .filter(({ kind, endpoints }) => !((kind === 'list' || kind === 'detail') && !Object.keys(endpoints).length))
    .map((route) => ({ ...route, deprecated: route.deprecated ?? resource.deprecated }));
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

function listEndpoints(catalog: Catalog, model: Compiled, path: string): Record<string, Endpoint> {
  const { access, listHeaders, launch } = model.resource;
  const names = offered(model, 'list', { GET: access.see, POST: access.create });
  return pick(
    {
      GET: {
        rule: access.see,
        run: async (call) => {
          const format = formatOf(model, call);
          if (format) return writeList(catalog, model, call, format);
          return { status: 200, headers: listHeaders?.(call), body: await listPage(catalog, model, call, path) };
        },
      },
      POST: {
        rule: access.create!,
        run: (call) => createReply(catalog, model, call),
        launches: launch ? 201 : undefined,
      },
    },
    names,
  );
}

async function createReply(catalog: Catalog, model: Compiled, call: Call): Promise<Reply> {
  if (model.resource.launch) return launchRow(catalog, model, call);
  const id = await createRow(catalog, model, call);
  const [created] = await catalog.represent(model.type, [id], call);
  return { status: 201, body: created, headers: { Location: model.url(id) } };
}

function detailEndpoints(
  catalog: Catalog,
  model: Compiled,
  row: (call: Call) => Promise<Row>,
): Record<string, Endpoint> {
  const { access, deleteStatus = 204 } = model.resource;
  const guarded = (rule: Rule) => async (call: Call) => requireRule(catalog, rule, call, await row(call));
  const update = (mode: WriteMode): Endpoint => ({
    rule: access.change!,
    prepare: guarded(access.change!),
    run: async (call, { id }) => {
      const row = await updateRow(catalog, model, call, id, mode);
      // RFC 9110 §9.3.4: the answer to a PUT has none, since what was sent is not what is stored, byte for byte
      const tag = mode === 'patch' ? etagOf(model, row) : undefined;
      return { status: 200, body: (await catalog.represent(model.type, [id], call))[0], headers: tagged(tag) };
    },
  });
  const remove: Endpoint['run'] = async (call, { id }) => {
    await deleteRow(catalog, model, call, id);
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
        run: (call, found) => detailReply(catalog, model, call, found),
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
async function detailReply(catalog: Catalog, model: Compiled, call: Call, row: Row): Promise<Reply> {
  if ([...call.query.keys()].some((key) => !listParameters.has(key) || key === 'search' || key === 'type')) {
    const [match] = await selectRows(catalog, model, call)
      .whereRaw(`${model.id(alias)} = ?`, [row.id])
      .select(catalog.db.raw('1'))
      .limit(1);
    if (!match) throw noMatch(model.resource);
  }
  const [body] = await model.serializer.rows(catalog.db, [row], call, 'detail');
  return { status: 200, body, headers: tagged(etagOf(model, row)) };
}
