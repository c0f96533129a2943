import {
  type Action,
  type Answered,
  ApiError,
  type Call,
  type Field,
  field,
  type Row,
  type Rule,
  type Sublist,
} from '@tapline/plugin-sdk';
import { longestGiven } from '../../hooks/tap.ts';
import type { Compiled, Catalog } from '../compile.ts';
import { describeField, type FieldEntry, shownEntries, writableEntries, writableEntry } from './options-fields.ts';
import { passes } from '../read/lookup.ts';
import type { Asking } from '../read/filter-path.ts';
import { mayCreateSomewhere } from './options-rights.ts';
import type { CompiledRoute, Endpoint } from '../routes/routes.ts';

type Entries = Record<string, FieldEntry>;
export type Actions = Partial<Record<string, Entries>>;

export interface Place {
  catalog: Catalog;
  model: Compiled;
  route: CompiledRoute;
  call: Call;
  /** the object that the path names, where there is one that the caller sees */
  row: Row | undefined;
}

export async function listActions({ catalog, model, route, call }: Place): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(askingOf(catalog, call), model, 'list') };
  const { POST } = route.endpoints;
  const may = (rule: Rule) => mayCreateSomewhere(catalog.db, rule, call.actor);
  if (POST && (await may(POST.rule)))
    actions.POST = {
      ...(await writableEntries(askingOf(catalog, call), model, 'create', may)),
      ...launchEntries(catalog, POST),
    };
  return actions;
}

export async function detailActions({ catalog, model, route, call, row }: Place): Promise<Actions> {
  const actions: Actions = { GET: shownEntries(askingOf(catalog, call), model, 'detail') };
  const { PUT } = route.endpoints;
  const may = (rule: Rule) => allowed(catalog, rule, call, row);
  if (PUT && row && (await may(PUT.rule)))
    actions.PUT = await writableEntries(askingOf(catalog, call), model, 'replace', may);
  return actions;
}

/** A list that attaches names `id`; one that attaches only, nothing else: so clients tell the two apart. */
export async function sublistActions(place: Place, child: Compiled): Promise<Actions> {
  const { catalog, model, route, call, row } = place;
  const actions: Actions = { GET: shownEntries(askingOf(catalog, call), child, 'list') };
  const { POST } = route.endpoints;
  const sublist = model.resource.sublists![route.name!]!;
  if (!POST || call.actor?.read_only || (row && refuses(sublist, call, row))) return actions;
  if (row && !(await mayAddBelow({ ...place, row }, child, sublist, POST.rule))) return actions;
  const { attach, create } = sublist;
  const may = (rule: Rule) => mayCreateSomewhere(catalog.db, rule, call.actor, row ? fixedBy(sublist, row) : {});
  const entries = create ? Object.entries(await writableEntries(askingOf(catalog, call), child, 'create', may)) : [];
  const open = entries.filter(([name]) => !isGiven(sublist, child, name));
  actions.POST = {
    ...(attach ? { id: { type: 'integer', label: 'ID', help_text: 'What to attach.', required: !create } } : {}),
    ...Object.fromEntries(open),
    ...launchEntries(catalog, POST),
  };
  return actions;
}

/** Does the parent say what this field of a child is? */
export function isGiven({ column, inherit = [], fixes = [] }: Sublist, child: Compiled, name: string): boolean {
  if (fixes.includes(name)) return true;
  const own = child.fields.get(name)?.column;
  return own !== undefined && (own === column || inherit.includes(own));
}

/** Is this object one below which nothing can be made, whoever asks? */
export function refuses({ create, refuse }: Sublist, call: Call, row: Row): boolean {
  if (!create) return false;
  try {
    refuse?.(call, row);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

/** Where nothing can be attached, whoever may write needs the right to create as well. */
async function mayAddBelow(
  { catalog, call, row }: Place & { row: Row },
  child: Compiled,
  sublist: Sublist,
  write: Rule,
) {
  const { attach, createRule, offered } = sublist;
  if (!(await allowed(catalog, offered ?? write, call, row))) return false;
  const rule = createRule ?? child.resource.access.create;
  if (attach || offered || !rule) return true;
  if (createRule) return allowed(catalog, createRule, call, row);
  return mayCreateSomewhere(catalog.db, rule, call.actor, fixedBy(sublist, row));
}

/** Columns that a row made below this one takes from it. */
const fixedBy = ({ column, inherit = [] }: Sublist, row: Row): Record<string, unknown> => ({
  ...Object.fromEntries(inherit.map((name) => [name, row[name]])),
  ...(column && { [column]: row.id }),
});

const askingOf = ({ db, models }: Catalog, { actor }: Call): Asking => ({ db, models, actor });

/** A route of its own has no record to hide: it offers what the caller may send. */
export async function ownActions(catalog: Catalog, route: CompiledRoute, call: Call): Promise<Actions> {
  const { type, endpoints, described } = route;
  const actions: Actions = {};
  if (await endpoints.GET?.rule.row(call.actor, {}, catalog.db))
    actions.GET = type ? shownEntries(askingOf(catalog, call), catalog.type(type), 'list') : {};
  const forms = await formsOf(catalog, route, call, described?.fields, undefined);
  if (endpoints.DELETE && (await allowed(catalog, endpoints.DELETE.rule, call, undefined))) forms.DELETE = {};
  return { ...actions, ...forms };
}

/**
 * What an action shows and takes. Below an object that is hidden or missing its forms stand as for one that the caller
 * has every right on, so that they tell neither.
 */
export async function actionActions({ catalog, route, call, row }: Place, action: Action): Promise<Actions> {
  const actions: Actions = route.endpoints.GET ? { GET: answeredEntries(catalog, call, shownBy(action)) } : {};
  const hidden = route.kind === 'action' && row === undefined;
  return { ...actions, ...(await formsOf(catalog, route, call, action.fields, hidden ? 'hidden' : row)) };
}

/** Every form that the caller may send. Where a path takes a PUT, the PATCH takes the same, as on a detail. */
async function formsOf(
  catalog: Catalog,
  { endpoints }: CompiledRoute,
  call: Call,
  fields: Record<string, Field> | undefined,
  row: Row | 'hidden' | undefined,
): Promise<Actions> {
  const forms: Actions = {};
  for (const method of ['POST', 'PUT', ...(endpoints.PUT ? [] : ['PATCH'])]) {
    const endpoint = endpoints[method];
    if (!endpoint || call.actor?.read_only) continue;
    if (row === 'hidden' || (await allowed(catalog, endpoint.rule, call, row)))
      forms[method] = { ...formOf(fields, method), ...launchEntries(catalog, endpoint) };
  }
  return forms;
}

/** What taps take of the body of whatever launches. */
const launchEntries = ({ launchTexts }: Catalog, { launches }: Pick<Endpoint, 'launches'>): Entries =>
  launches
    ? Object.fromEntries(
        Object.entries(launchTexts()).map(([name, help]) => [
          name,
          writableEntry(name, field.text({ help, max: longestGiven })),
        ]),
      )
    : {};

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
function answeredEntries(catalog: Catalog, call: Call, { type, page, fields = {} }: Answered = {}): Entries {
  const own = Object.entries(fields).map(([name, field]) => [
    name,
    { ...describeField(name, field), filterable: false },
  ]);
  const shown = type ? shownEntries(askingOf(catalog, call), catalog.type(type), page ? 'list' : 'detail') : {};
  return { ...shown, ...Object.fromEntries(own) };
}

async function allowed(catalog: Catalog, rule: Pick<Rule, 'row'>, call: Call, row: Row | undefined): Promise<boolean> {
  return !call.actor?.read_only && (await passes(catalog, rule, call, row));
}
