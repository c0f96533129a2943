import {
  type Action,
  everybody,
  type Extension,
  type Field,
  type ListFormat,
  type Resource,
  type Route,
  type Rule,
  type RunKind,
  type SettingContribution,
  type Sublist,
  type TemplateKind,
} from '@tapline/plugin-sdk';
import type { Restriction } from '../../rbac/doors.ts';
import type { ContributionKind, Contributions } from './contributions.ts';
import { ownKeys } from './own-keys.ts';
import { type How, mapValues, named, patience, textOf, verdict, withNamed } from './named.ts';

const inTransaction = ['validate', 'insert', 'afterCreate', 'afterUpdate', 'beforeDelete', 'remove', 'afterDelete'];
const atRead = ['present', 'related', 'summaries', 'listed', 'listHeaders'];
const ofSublists = ['check', 'checkDetach', 'link', 'prepare', 'refuse', 'decorate', 'adopt', 'where', 'instead'];
const planning = ['plan', 'split', 'content', 'parts'];
const working = ['secretsOf', 'finish', 'work', 'tells', 'advance', 'mayAdvance'];

const resourceOf = (plugin: string, resource: Resource): Resource => partsOf(plugin, resource.type, resource);

/** Of a resource, or what a kind of runs or templates says of one. */
function partsOf<T extends Partial<Resource>>(plugin: string, type: string, resource: T): T {
  const made = withNamed(resource, { plugin, what: type, limit: patience.write }, [...inTransaction, ...atRead]);
  const { fields, actions, listActions, parameters, formats, sublists } = resource;
  const parts = <P extends object>(part: Record<string, P>, what: string, keys: readonly string[], limit?: number) =>
    mapValues(part, (value, key) =>
      withNamed(value, { plugin, what: `${type} ${what} ${key}`, ...(limit === undefined ? {} : { limit }) }, keys),
    );
  return {
    // outside of transactions: what it takes is theirs, as that of a launch that it decides about
    ...withNamed(made, { plugin, what: type }, ['launch', 'beforeWrite']),
    ...(fields && { fields: fieldsOf(plugin, type, fields) }),
    ...(actions && { actions: parts(actions, 'action', ['handler']) }),
    ...(listActions && { listActions: parts(listActions, 'action', ['handler']) }),
    ...(parameters && { parameters: parts(parameters, 'parameter', ['narrow']) }),
    ...(formats && { formats: formatsOf(plugin, type, formats) }),
    ...(sublists && { sublists: parts(sublists, 'sublist', ofSublists, patience.write) }),
  };
}

/** With their rules, which are asked about rows that others read. */
function fieldsOf(plugin: string, what: string, fields: Record<string, Field>): Record<string, Field> {
  return mapValues(fields, (field, name) => {
    const how = { plugin, what: `${what} field ${name}` };
    const { read, write } = field;
    return {
      ...withNamed(field, how, ['compute', 'check']),
      ...(read && { read: ruleOf(how, read, 'read') }),
      ...(write && { write: ruleOf(how, write, 'write') }),
    };
  })!;
}

const ruleOf = (how: How, rule: Rule, what: string): Rule =>
  withNamed(rule, { ...how, what: `${how.what} ${what}` }, ['row', 'query']);

function extensionOf(plugin: string, type: string, extension: Extension): Extension {
  const what = `extension of ${type}`;
  const { fields, sublists, actions, listActions, parameters, formats } = extension;
  const acting = (declared: Record<string, Action>) =>
    mapValues(declared, (action, name) => actionOf({ plugin, what: `${what} action ${name}` }, action))!;
  return {
    ...withNamed(extension, { plugin, what, limit: patience.write }, ['related', 'summaries']),
    ...(fields && { fields: fieldsOf(plugin, what, fields) }),
    ...(sublists && {
      sublists: mapValues<Sublist>(sublists, (value, key) =>
        withNamed(value, { plugin, what: `${what} ${key}`, limit: patience.write }, ofSublists),
      )!,
    }),
    ...(actions && { actions: acting(actions) }),
    ...(listActions && { listActions: acting(listActions) }),
    ...(formats && { formats: formatsOf(plugin, what, formats) }),
    ...(parameters && {
      parameters: mapValues(parameters, (value, name) =>
        withNamed(value, { plugin, what: `${what} parameter ${name}` }, ['narrow']),
      )!,
    }),
  };
}

function formatsOf(plugin: string, what: string, formats: Record<string, ListFormat>): Record<string, ListFormat> {
  return mapValues(formats, (format, name) => {
    const how = { plugin, what: `${what} format ${name}` };
    const columns = mapValues({ ...format.columns }, (column, title) =>
      typeof column === 'string' ? column : named({ ...how, what: `${how.what} ${title}` }, column),
    );
    const row = 'row' in format && format.row && { row: textOf({ ...how, what: `${how.what} row` }, format.row) };
    return { ...format, ...row, ...(format.columns && { columns }) } as ListFormat;
  })!;
}

/** Its rules as well: what they throw would else be told as core's, whose row they are asked about. */
function actionOf(how: How, action: Action): Action {
  const rules = Object.entries(action.access).map(([method, rule]) => [
    method,
    // known by what it is
    rule === everybody ? rule : ruleOf(how, rule, 'access'),
  ]);
  return { ...withNamed(action, how, ['handler']), access: Object.fromEntries(rules) };
}

/** A restriction that answers nonsense must hide, not show: only `true` is a yes. */
const strict = ({ row, query }: Restriction): Restriction => ({
  row: async (...given) => (await row(...given)) === true,
  query,
});

type Change = {
  [K in ContributionKind]?: (plugin: string, item: Contributions[K][number]) => Contributions[K][number];
};

/** Where the service holds a transaction open for a kind, it has a limited time; its work and its plans take what they take. */
function runKindOf(plugin: string, kind: RunKind): RunKind {
  const how = { plugin, what: `run kind ${kind.kind}` };
  const { prepare, keeps, notifies, explains, routes, extends: extended } = kind;
  const made = withNamed(withNamed(ownKeys(kind), how, [...planning, ...working]), { ...how, limit: patience.write }, [
    'follow',
    'begin',
    'cancel',
  ]);
  return {
    ...made,
    // elsewhere what is called `prepare` must be done at once
    ...(prepare && { prepare: named({ ...how, what: `${how.what} prepare` }, prepare) }),
    ...(keeps && { keeps: textOf({ ...how, what: `${how.what} keeps` }, keeps) }),
    resource: partsOf(plugin, kind.kind, kind.resource),
    ...(kind.resources && { resources: kind.resources.map((resource) => resourceOf(plugin, resource)) }),
    ...(routes && { routes: routes.map((route) => routeOf(plugin, route)) }),
    ...(extended && { extends: mapValues(extended, (part, type) => partsOf(plugin, `extension of ${type}`, part))! }),
    ...(notifies && { notifies: withNamed(notifies, { ...how, limit: patience.write }, ['metadata']) }),
    ...(explains && { explains: explains.map(([pattern, say]) => [pattern, named(how, say)] as const) }),
  };
}

const templateKindOf = (plugin: string, kind: TemplateKind): TemplateKind => ({
  ...kind,
  resource: partsOf(plugin, kind.type, kind.resource),
});

const routeOf = <T extends Route>(plugin: string, route: T): T =>
  withNamed(route, { plugin, what: `route ${route.path}` }, ['handler', 'describe']);

/** By kind; taps and tasks are guarded where they run, and what is offered is called by whoever uses it. */
const changes: Change = {
  resources: resourceOf,
  runKinds: runKindOf,
  templateKinds: templateKindOf,
  routes: routeOf,
  extensions: (plugin, { type, extension }) => ({ type, extension: extensionOf(plugin, type, extension) }),
  settings: (plugin, setting) =>
    setting.check
      ? ({
          ...setting,
          check: verdict({ plugin, what: `check of setting ${setting.key}` }, setting.check),
        } as SettingContribution)
      : setting,
  groups: (plugin, group) =>
    withNamed(group, { plugin, what: `group ${group.name}`, limit: patience.answer }, ['join']),
  health: (plugin, check) => named({ plugin, what: 'health' }, check),
  insights: (plugin, insight) =>
    withNamed(insight, { plugin, what: `insight ${insight.name}`, limit: patience.answer }, ['read']),
  guards: (plugin, guard) => ({
    ...guard,
    fn: named({ plugin, what: `guard ${guard.resource}.${guard.operation}`, limit: patience.write }, guard.fn),
  }),
  restrictions: (plugin, { resource, restriction }) => ({
    resource,
    restriction: strict(
      withNamed(restriction, { plugin, what: `restriction of ${resource}`, limit: patience.write }, ['row', 'query']),
    ),
  }),
  starts: (plugin, start) => named({ plugin, what: 'start' }, start),
  stops: (plugin, stop) => named({ plugin, what: 'stop' }, stop),
};

/** A contribution whose code runs in the name of its plugin. */
export function inNameOf<K extends ContributionKind>(
  plugin: string,
  kind: K,
  item: Contributions[K][number],
): Contributions[K][number] {
  const change = changes[kind] as
    | ((plugin: string, item: Contributions[K][number]) => Contributions[K][number])
    | undefined;
  return change ? change(plugin, item) : item;
}
