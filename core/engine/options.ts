import type { Action, Call, Field, Reply, Rule } from '@tapline/plugin-sdk';
import { roleFieldsOf } from '../rbac/definitions.ts';
import type { Compiled, Engine } from './compile.ts';
import { resolveId } from './lookup.ts';
import {
  type FieldEntry,
  labelOf,
  shownEntries,
  typeChoices,
  writableEntries,
  writableEntry,
} from './options-fields.ts';
import { mayCreateSomewhere } from './options-rights.ts';
import { maxPageSize } from './paginate.ts';
import type { CompiledRoute } from './routes.ts';
import { searchFields } from './search.ts';

type Entries = Record<string, FieldEntry>;
type Actions = Partial<Record<string, Entries>>;

const media = ['application/json'];

/**
 * What OPTIONS answers. It is the same for an object that is not there as for one that the caller may not see: clients
 * ask for number 1 to learn what any object offers.
 */
export async function describeRoute(engine: Engine, route: CompiledRoute, call: Call): Promise<Reply> {
  const common = {
    name: nameOf(engine, route),
    description: descriptionOf(engine, route),
    renders: media,
    parses: media,
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
      const actions = await actionActions(place, declared![route.name!]!);
      return { status: 200, body: { ...common, actions } };
    }
  }
}

interface Place {
  engine: Engine;
  model: Compiled;
  route: CompiledRoute;
  call: Call;
  /** the object that the path names, where there is one that the caller sees */
  row: any;
}

function nameOf(engine: Engine, { type, name, kind, path }: CompiledRoute): string {
  if (!type || kind === 'route') return labelOf(path.split('/').at(-2)!);
  const { label } = engine.type(type).resource;
  if (kind === 'list') return `${label} list`;
  return kind === 'detail' ? label : `${label}: ${labelOf(name!.replaceAll('/', ' ')).toLowerCase()}`;
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

async function listActions({ engine, model, route, call }: Place): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(engine.models, model, 'list') };
  const { POST } = route.endpoints;
  if (POST && (await mayCreateSomewhere(engine.db, POST.rule, call.actor)))
    actions.POST = writableEntries(model, 'create');
  return actions;
}

async function detailActions({ engine, model, route, call, row }: Place): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(engine.models, model, 'detail') };
  const { PUT } = route.endpoints;
  if (PUT && row && (await allowed(engine, PUT.rule, call, row))) actions.PUT = writableEntries(model, 'replace');
  return actions;
}

/** A route of its own has no record to hide: it offers what the caller may send. */
async function ownActions(engine: Engine, { type, endpoints, described }: CompiledRoute, call: Call): Promise<Actions> {
  const actions: Actions = {};
  for (const [method, { rule }] of Object.entries(endpoints)) {
    const may =
      method === 'GET'
        ? await rule.row(call.actor, undefined, engine.db)
        : await allowed(engine, rule, call, undefined);
    if (!may) continue;
    if (method === 'GET') actions.GET = type ? shownEntries(engine.models, engine.type(type), 'list') : {};
    else actions[method] = withForm.has(method) ? formOf(described?.fields, method) : {};
  }
  return actions;
}

const withForm = new Set(['POST', 'PUT', 'PATCH']);

/** A PATCH may leave out everything. */
const formOf = (fields: Record<string, Field> = {}, method: string): Entries =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      writableEntry(name, method === 'PATCH' ? { ...field, required: false } : field),
    ]),
  );

async function allowed({ db }: Engine, rule: Rule, { actor }: Call, row: any): Promise<boolean> {
  return !actor?.read_only && (await rule.row(actor, row, db));
}

/** A list that attaches names `id`; one that attaches only, nothing else: so clients tell the two apart. */
async function sublistActions({ engine, model, route, call, row }: Place, child: Compiled): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(engine.models, child, 'list') };
  const { POST } = route.endpoints;
  if (!POST || call.actor?.read_only) return actions;
  if (row && !(await allowed(engine, POST.rule, call, row))) return actions;
  const { attach, create, column, inherit = [] } = model.resource.sublists![route.name!]!;
  const given = new Set([column, ...inherit]);
  const entries = create ? Object.entries(writableEntries(child, 'create')) : [];
  const open = entries.filter(([name]) => !given.has(child.fields.get(name)?.column));
  actions.POST = {
    ...(attach ? { id: { type: 'integer', label: 'ID', help_text: 'What to attach.', required: !create } } : {}),
    ...Object.fromEntries(open),
  };
  return actions;
}

async function actionActions({ engine, route, call, row }: Place, action: Action): Promise<Actions> {
  const { GET, POST } = route.endpoints;
  const actions: Actions = GET ? { GET: {} } : {};
  if (!POST || call.actor?.read_only) return actions;
  if (row && !(await allowed(engine, POST.rule, call, row))) return actions;
  actions.POST = formOf(action.fields, 'POST');
  return actions;
}
