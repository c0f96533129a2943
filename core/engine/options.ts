import type { Call, Reply } from '@tapline/plugin-sdk';
import { roleFieldsOf } from '../rbac/definitions.ts';
import type { Compiled, Engine } from './compile.ts';
import { resolveId } from './lookup.ts';
import {
  actionActions,
  detailActions,
  listActions,
  ownActions,
  type Place,
  shownBy,
  sublistActions,
} from './options-actions.ts';
import { labelOf, typeChoices } from './options-fields.ts';
import { maxPageSize } from './paginate.ts';
import type { CompiledRoute } from './routes.ts';
import { searchFields } from './search.ts';

/**
 * What OPTIONS answers. It is the same for an object that is not there as for one that the caller may not see: clients
 * ask for number 1 to learn what any object offers.
 */
export async function describeRoute(engine: Engine, route: CompiledRoute, call: Call): Promise<Reply> {
  const common = {
    name: nameOf(engine, route),
    description: descriptionOf(engine, route),
    renders: rendersOf(route),
    parses: parsesOf(route),
  };
  if (route.describe) return { status: 200, body: { ...common, ...(await route.describe(call)) } };
  const own = route.kind === 'route' ? await ownActions(engine, route, call) : undefined;
  if (!route.type) return { status: 200, body: { ...common, actions: own ?? {} } };
  const model = engine.type(route.type);
  if (own) return { status: 200, body: { ...common, actions: own, ...ofType(engine, model, true) } };
  const row = route.path.includes('/:id/') ? await rowOf(engine, model, call) : undefined;
  const place: Place = { engine, model, route, call, row };
  switch (route.kind) {
    case 'list':
      return { status: 200, body: { ...common, actions: await listActions(place), ...ofType(engine, model, true) } };
    case 'detail':
      return { status: 200, body: { ...common, actions: await detailActions(place), ...ofType(engine, model, false) } };
    case 'sublist': {
      const child = engine.type(model.resource.sublists![route.name!]!.resource);
      const actions = await sublistActions(place, child);
      return { status: 200, body: { ...common, actions, ...ofType(engine, child, true) } };
    }
    default: {
      const declared = route.kind === 'action' ? model.resource.actions : model.resource.listActions;
      const action = declared![route.name!]!;
      const { page, type } = shownBy(action) ?? {};
      const about = page ? ofType(engine, engine.type(type!), true) : {};
      return { status: 200, body: { ...common, actions: await actionActions(place, action), ...about } };
    }
  }
}

function nameOf(engine: Engine, { type, name, kind, path }: CompiledRoute): string {
  if (!type || kind === 'route') return ownName(path);
  const { label } = engine.type(type).resource;
  if (kind === 'list') return `${label} list`;
  return kind === 'detail' ? label : `${label}: ${labelOf(name!.replaceAll('/', ' ')).toLowerCase()}`;
}

/** `/api/v2/dashboard/graphs/jobs/` → `Dashboard graphs jobs` */
function ownName(path: string): string {
  const parts = path.replace(/^\/api\/(v2\/)?/, '/').split('/');
  return labelOf(parts.filter((part) => part !== '' && !part.startsWith(':')).join(' ')) || 'API';
}

const json = 'application/json';
const media: Record<string, string> = {
  json,
  txt: 'text/plain',
  ansi: 'text/plain',
  html: 'text/html',
  api: 'text/html',
};

/** A route with formats of its own answers with those, every other with JSON. */
function rendersOf({ formats }: CompiledRoute): string[] {
  const own = formats.flatMap((format) => media[format.replace(/_download$/, '')] ?? []);
  return own.length ? [...new Set(own)] : [json];
}

function parsesOf({ endpoints }: CompiledRoute): string[] {
  const kinds = Object.values(endpoints).map(({ body }) => body?.kind);
  if (kinds.includes('raw')) return ['*/*'];
  return kinds.includes('none') ? [] : [json];
}

/** Of the records that the place is about; of an action what it does. */
function descriptionOf(engine: Engine, { type, name, kind, described }: CompiledRoute): string {
  if (!type || kind === 'route') return described?.summary ?? '';
  const { resource } = engine.type(type);
  if (kind === 'sublist') return engine.type(resource.sublists![name!]!.resource).resource.description ?? '';
  if (kind === 'list' || kind === 'detail') return resource.description ?? '';
  return (kind === 'action' ? resource.actions : resource.listActions)?.[name!]?.summary ?? '';
}

async function rowOf(engine: Engine, model: Compiled, call: Call): Promise<any> {
  const id = await resolveId(engine, model, call.params.id!);
  return id === undefined ? undefined : engine.find(model.type, id, call.actor);
}

function ofType(engine: Engine, model: Compiled, list: boolean) {
  const roles = roleFieldsOf(model.type);
  return {
    types: typeChoices(engine.models, model).map(([type]) => type),
    search_fields: searchFields(model).map(({ name }) => name),
    related_search_fields: relatedSearch(engine, model),
    ...(roles ? { object_roles: roles } : {}),
    ...(list ? { max_page_size: maxPageSize } : {}),
  };
}

/** Every relation that a filter may follow to a type with texts to search. */
function relatedSearch(engine: Engine, model: Compiled): string[] {
  const { spans = {}, sublists = {} } = model.resource;
  const relations = [
    ...model.refs
      .filter(({ sql, field }) => sql && field.filterable !== false)
      .map(({ name, field }) => [name, field.target!]),
    ...Object.entries({ ...sublists, ...spans })
      .filter(([, { column, through }]) => column !== undefined || through !== undefined)
      .map(([name, { resource }]) => [name, resource]),
  ];
  const searchable = relations.filter(([, target]) => {
    const found = engine.models.get(target!);
    return found !== undefined && searchFields(found).length > 0;
  });
  return [...new Set(searchable.map(([name]) => `${name}__search`))].toSorted();
}
