import type { Action, Answered, Call, Field, Rule, Sublist } from '@tapline/plugin-sdk';
import type { Compiled, Engine } from './compile.ts';
import { describeField, type FieldEntry, shownEntries, writableEntries, writableEntry } from './options-fields.ts';
import { mayCreateSomewhere } from './options-rights.ts';
import type { CompiledRoute } from './routes.ts';

type Entries = Record<string, FieldEntry>;
export type Actions = Partial<Record<string, Entries>>;

export interface Place {
  engine: Engine;
  model: Compiled;
  route: CompiledRoute;
  call: Call;
  /** the object that the path names, where there is one that the caller sees */
  row: any;
}

export async function listActions({ engine, model, route, call }: Place): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(engine.models, model, 'list') };
  const { POST } = route.endpoints;
  if (POST && (await mayCreateSomewhere(engine.db, POST.rule, call.actor)))
    actions.POST = writableEntries(model, 'create');
  return actions;
}

export async function detailActions({ engine, model, route, call, row }: Place): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(engine.models, model, 'detail') };
  const { PUT } = route.endpoints;
  if (PUT && row && (await allowed(engine, PUT.rule, call, row))) actions.PUT = writableEntries(model, 'replace');
  return actions;
}

/** A list that attaches names `id`; one that attaches only, nothing else: so clients tell the two apart. */
export async function sublistActions(place: Place, child: Compiled): Promise<Actions> {
  const { engine, model, route, call, row } = place;
  const actions: Actions = { GET: shownEntries(engine.models, child, 'list') };
  const { POST } = route.endpoints;
  if (!POST || call.actor?.read_only) return actions;
  const sublist = model.resource.sublists![route.name!]!;
  if (row && !(await mayAddBelow(place, child, sublist, POST.rule))) return actions;
  const { attach, create, column, inherit = [] } = sublist;
  const given = new Set([column, ...inherit]);
  const entries = create ? Object.entries(writableEntries(child, 'create')) : [];
  const open = entries.filter(([name]) => !given.has(child.fields.get(name)?.column));
  actions.POST = {
    ...(attach ? { id: { type: 'integer', label: 'ID', help_text: 'What to attach.', required: !create } } : {}),
    ...Object.fromEntries(open),
  };
  return actions;
}

/** Where nothing can be attached, whoever may write needs the right to create as well. */
async function mayAddBelow({ engine, call, row }: Place, child: Compiled, sublist: Sublist, write: Rule) {
  const { attach, column, inherit = [], createRule, offered } = sublist;
  if (!(await allowed(engine, offered ?? write, call, row))) return false;
  const rule = createRule ?? child.resource.access.create;
  if (attach || offered || !rule) return true;
  if (createRule) return allowed(engine, createRule, call, row);
  const inherited = Object.fromEntries(inherit.map((name) => [name, row[name]]));
  return mayCreateSomewhere(engine.db, rule, call.actor, { ...inherited, ...(column && { [column]: row.id }) });
}

/** A route of its own has no record to hide: it offers what the caller may send. */
export async function ownActions(engine: Engine, route: CompiledRoute, call: Call): Promise<Actions> {
  const { type, endpoints, described } = route;
  const actions: Actions = {};
  if (await endpoints.GET?.rule.row(call.actor, undefined, engine.db))
    actions.GET = type ? shownEntries(engine.models, engine.type(type), 'list') : {};
  const forms = await formsOf(engine, route, call, described?.fields, undefined);
  if (endpoints.DELETE && (await allowed(engine, endpoints.DELETE.rule, call, undefined))) forms.DELETE = {};
  return { ...actions, ...forms };
}

/**
 * What an action shows and takes. Below an object that is hidden or missing its forms stand as for one that the caller
 * has every right on, so that they tell neither.
 */
export async function actionActions({ engine, route, call, row }: Place, action: Action): Promise<Actions> {
  const actions: Actions = route.endpoints.GET ? { GET: answeredEntries(engine, shownBy(action)) } : {};
  const hidden = route.kind === 'action' && row === undefined;
  return { ...actions, ...(await formsOf(engine, route, call, action.fields, hidden ? 'hidden' : row)) };
}

/** Every form that the caller may send. Where a path takes a PUT, the PATCH takes the same, as on a detail. */
async function formsOf(
  engine: Engine,
  { endpoints }: CompiledRoute,
  call: Call,
  fields: Record<string, Field> | undefined,
  row: any,
): Promise<Actions> {
  const forms: Actions = {};
  for (const method of ['POST', 'PUT', ...(endpoints.PUT ? [] : ['PATCH'])]) {
    const endpoint = endpoints[method];
    if (!endpoint || call.actor?.read_only) continue;
    if (row === 'hidden' || (await allowed(engine, endpoint.rule, call, row))) forms[method] = formOf(fields, method);
  }
  return forms;
}

/** A PATCH may leave out everything. */
const formOf = (fields: Record<string, Field> = {}, method: string): Entries =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      writableEntry(name, method === 'PATCH' ? { ...field, required: false } : field),
    ]),
  );

/** What a GET of the action answers with; where there are several answers, first comes the usual one. */
export const shownBy = ({ answers }: Action): Answered | undefined => [answers?.GET].flat()[0];

/** The keys of an answer as far as they are declared; nothing filters an action, but for a page that it shows. */
function answeredEntries(engine: Engine, { type, page, fields = {} }: Answered = {}): Entries {
  const own = Object.entries(fields).map(([name, field]) => [
    name,
    { ...describeField(name, field), filterable: false },
  ]);
  const shown = type ? shownEntries(engine.models, engine.type(type), page ? 'list' : 'detail') : {};
  return { ...shown, ...Object.fromEntries(own) };
}

async function allowed({ db }: Engine, rule: Pick<Rule, 'row'>, { actor }: Call, row: any): Promise<boolean> {
  return !actor?.read_only && (await rule.row(actor, row, db));
}
