import type { Call, Reply, Row } from '@tapline/plugin-sdk';
import { roleFieldsOf } from '../../rbac/definitions.ts';
import type { Compiled, Catalog } from '../compile.ts';
import { resolveId } from '../read/lookup.ts';
import { actionOf, listedBy } from './action-of.ts';
import {
  actionActions,
  detailActions,
  listActions,
  ownActions,
  type Place,
  refuses,
  sublistActions,
} from './options-actions.ts';
import { formatEntry, labelOf, parameterEntries, typeChoices } from './options-fields.ts';
import { maxPageSize } from '../read/paginate.ts';
import { allowOf, type CompiledRoute } from '../routes/routes.ts';
import { searchFields } from '../read/search.ts';

/**
 * What OPTIONS answers. It is the same for an object that is not there as for one that the caller may not see: clients
 * ask for number 1 to learn what any object offers.
 */
export async function describeRoute(catalog: Catalog, route: CompiledRoute, call: Call): Promise<Reply> {
  const common = {
    name: nameOf(catalog, route),
    description: descriptionOf(catalog, route),
    renders: rendersOf(catalog, route),
    parses: parsesOf(route),
  };
  if (route.describe) return { status: 200, body: { ...common, ...(await route.describe(call)) } };
  const own = route.kind === 'route' ? await ownActions(catalog, route, call) : undefined;
  if (!route.type) return { status: 200, body: { ...common, actions: own ?? {} } };
  const model = catalog.type(route.type);
  if (own) return { status: 200, body: { ...common, actions: own, ...ofType(catalog, model, true) } };
  const row = route.path.includes('/:id/') ? await rowOf(catalog, model, call) : undefined;
  const place: Place = { catalog, model, route, call, row };
  switch (route.kind) {
    case 'list':
      return {
        status: 200,
        body: { ...common, actions: await listActions(place), ...ofType(catalog, model, true, route) },
      };
    case 'detail':
      return {
        status: 200,
        body: { ...common, actions: await detailActions(place), ...ofType(catalog, model, false) },
      };
    case 'sublist': {
      const sublist = model.resource.sublists![route.name!]!;
      const child = catalog.type(sublist.resource);
      const actions = await sublistActions(place, child);
      // clients take a list without POST for one that is only read
      const headers = row && refuses(sublist, call, row) ? { Allow: allowOf(route, ['POST']) } : undefined;
      return { status: 200, headers, body: { ...common, actions, ...ofType(catalog, child, true, route) } };
    }
    default: {
      const action = actionOf(catalog, route)!;
      const listed = listedBy(action);
      const about = listed === undefined ? {} : ofType(catalog, catalog.type(listed), true);
      return { status: 200, body: { ...common, actions: await actionActions(place, action), ...about } };
    }
  }
}

function nameOf(catalog: Catalog, { type, name, kind, path }: CompiledRoute): string {
  if (!type || kind === 'route') return ownName(path);
  const { label } = catalog.type(type).resource;
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

/** A route with formats of its own answers with those; one that says what it answers, with that; every other with JSON. */
function rendersOf(catalog: Catalog, route: CompiledRoute): string[] {
  const { formats, listFormats = {} } = route;
  const written = Object.values(listFormats).map(({ media }) => media.split(';')[0]!);
  if (written.length) return [...new Set([json, ...written])];
  const own = formats.flatMap((format) => media[format.replace(/_download$/, '')] ?? []);
  const told = own.length ? own : answeredMedia(catalog, route);
  return told.length ? [...new Set(told)] : [json];
}

/** Media types that an action or a route of its own says it answers with. */
function answeredMedia(catalog: Catalog, route: CompiledRoute): string[] {
  const { answers } = route.described ?? actionOf(catalog, route) ?? {};
  const told = Object.values(answers ?? {}).flat();
  return told.flatMap(({ media, empty }) => (empty ? [] : (media ?? json).split(';')[0]!));
}

function parsesOf({ endpoints }: CompiledRoute): string[] {
  const kinds = Object.values(endpoints).map(({ body }) => body?.kind);
  if (kinds.includes('raw')) return ['*/*'];
  return kinds.includes('none') ? [] : [json];
}

/** Of the records that the place is about; of an action what it does. */
function descriptionOf(catalog: Catalog, route: CompiledRoute): string {
  const { type, name, kind, described } = route;
  if (!type || kind === 'route') return described?.summary ?? '';
  const { resource } = catalog.type(type);
  if (kind === 'sublist') return catalog.type(resource.sublists![name!]!.resource).resource.description ?? '';
  if (kind === 'list' || kind === 'detail') return resource.description ?? '';
  return actionOf(catalog, route)?.summary ?? '';
}

async function rowOf(catalog: Catalog, model: Compiled, call: Call): Promise<Row | undefined> {
  const id = await resolveId(catalog, model, call.params.id!);
  return id === undefined ? undefined : catalog.find(model.type, id, call.actor);
}

function ofType(catalog: Catalog, model: Compiled, list: boolean, { listFormats }: Partial<CompiledRoute> = {}) {
  const roles = roleFieldsOf(model.type);
  const parameters = { ...parameterEntries(model), ...formatEntry(listFormats) };
  return {
    types: typeChoices(catalog.models, model).map(([type]) => type),
    search_fields: searchFields(model).map(({ name }) => name),
    related_search_fields: relatedSearch(catalog, model),
    ...(roles ? { object_roles: roles } : {}),
    ...(list ? { max_page_size: maxPageSize } : {}),
    ...(list && Object.keys(parameters).length ? { parameters } : {}),
  };
}

/** Every relation that a filter may follow to a type with texts to search. */
function relatedSearch(catalog: Catalog, model: Compiled): string[] {
  const { spans = {}, sublists = {}, expression } = model.resource;
  const relations = [
    ...model.refs
      .filter(({ sql, field }) => sql && field.filterable !== false)
      .map(({ name, field }) => [name, field.target!]),
    ...Object.entries({ ...sublists, ...spans })
      .filter(([, { column, through }]) => column !== undefined || through !== undefined)
      .map(([name, { resource }]) => [name, resource]),
  ];
  const searchable = relations.filter(([, target]) => {
    const found = catalog.models.get(target!);
    return found !== undefined && searchFields(found).length > 0;
  });
  // paths into documents are no searches, but clients offer them together
  const documents = Object.keys(expression?.documents ?? {});
  return [...new Set([...searchable.map(([name]) => `${name}__search`), ...documents])].toSorted();
}
