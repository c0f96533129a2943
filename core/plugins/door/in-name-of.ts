import {
  type Action,
  ApiError,
  everybody,
  type Extension,
  type Field,
  inTime,
  type ListFormat,
  type Resource,
  type Rule,
  type RunKind,
  type SettingContribution,
  type Sublist,
} from '@tapline/plugin-sdk';
import { blame, inSection, type Section } from '../../observe/section.ts';
import type { Restriction } from '../../rbac/doors.ts';
import type { ContributionKind, Contributions } from './contributions.ts';

/** Nobody's transaction, and nobody's answer, waits longer for a plugin than this. */
const patience = { write: 10_000, answer: 2000 };

type Fn = (...given: never[]) => unknown;

interface How {
  plugin: string;
  what: string;
  /** milliseconds; without it a promise may take what it takes */
  limit?: number;
}

/**
 * `fn` in the name of its plugin: what it throws, leaves behind or blocks is told as its doing; and where core would
 * hold a transaction or an answer open for it, it has a limited time.
 */
export function named<F extends Fn>({ plugin, what, limit }: How, fn: F): F {
  const section: Section = { plugin, what };
  const run = (...given: never[]): unknown => {
    let result: unknown;
    try {
      result = inSection(section, () => fn(...given));
    } catch (error) {
      throw blame(error, section);
    }
    // a builder of queries would be run by waiting for it
    if (
      !(result instanceof Promise) &&
      (typeof (result as { then?: unknown } | null | undefined)?.then !== 'function' || isBuilder(result))
    )
      return result;
    const settled = Promise.resolve(result).catch((error: unknown) => {
      throw blame(error, section);
    });
    return limit === undefined ? settled : inTime(() => settled, { ms: limit, late: () => tooLate(section, limit) });
  };
  // its source is that of the plugin's own
  run.toString = () => String(fn);
  return run as F;
}

function tooLate(section: Section, ms: number): Error {
  const text = `Plugin ${section.plugin} did not answer within ${ms / 1000} s (${section.what}). Try again later.`;
  const error = new ApiError(503, text, { 'Retry-After': '5' });
  blame(error, section);
  return error;
}

/**
 * The same for what has to be done when it returns: narrowing a query, or refusing a body. What it returns is dropped: a
 * query builder is thenable, so that waiting for it would run it. A promise is refused, since nobody would wait for it
 * and a condition that comes later is none.
 */
function atOnce<F extends Fn>({ plugin, what }: How, fn: F): F {
  const section: Section = { plugin, what };
  const run = (...given: never[]): void => {
    let result: unknown;
    try {
      result = inSection(section, () => fn(...given));
    } catch (error) {
      throw blame(error, section);
    }
    if (!(result instanceof Promise)) return;
    result.catch(() => undefined);
    throw blame(new Error(`${what} of plugin ${plugin} returned a promise: it must be done when it returns`), section);
  };
  return run as F;
}

type Check = (value: never) => string | undefined;

/** What decides about a value says what is wrong with it, or nothing; anything else decides nothing. */
function verdict({ plugin, what }: How, check: Check): Check {
  const section: Section = { plugin, what };
  const run = named(section, check);
  return (value) => {
    const problem: unknown = run(value);
    if (problem === undefined || typeof problem === 'string') return problem;
    if (problem instanceof Promise) problem.catch(() => undefined);
    throw blame(new Error(`${what} must return at once what is wrong, as a text, or undefined`), section);
  };
}

/** What makes a text makes it at once. */
function textOf<F extends (...given: never[]) => string>({ plugin, what }: How, fn: F): F {
  const section: Section = { plugin, what };
  const run = named(section, fn);
  const checked = (...given: Parameters<F>): string => {
    const text: unknown = run(...given);
    if (typeof text === 'string') return text;
    if (text instanceof Promise) text.catch(() => undefined);
    throw blame(new Error(`${what} must return a text at once`), section);
  };
  return checked as F;
}

const doneAtOnce = new Set(['query', 'where', 'listed', 'prepare', 'narrow']);

/** The same object with these of its functions named. */
function withNamed<T extends object>(object: T, how: How, keys: readonly string[]): T {
  const copy = { ...object } as Record<string, unknown>;
  for (const key of keys) {
    if (typeof copy[key] !== 'function') continue;
    const own = { ...how, what: `${how.what} ${key}` };
    copy[key] = doneAtOnce.has(key) ? atOnce(own, copy[key] as Fn) : named(own, copy[key] as Fn);
  }
  return copy as T;
}

const mapValues = <T>(object: Record<string, T> | undefined, change: (value: T, key: string) => T) =>
  object && Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

const inTransaction = ['validate', 'insert', 'afterCreate', 'afterUpdate', 'beforeDelete', 'remove', 'afterDelete'];
const atRead = ['present', 'related', 'summaries', 'listed', 'listHeaders'];
const ofSublists = ['check', 'link', 'prepare', 'decorate', 'adopt', 'where'];

function resourceOf(plugin: string, resource: Resource): Resource {
  const { type } = resource;
  const base = { plugin, what: type };
  const made = withNamed(resource, { ...base, limit: patience.write }, [...inTransaction, ...atRead]);
  const parts = <T extends object>(part: Record<string, T> | undefined, what: string, keys: string[], limit?: number) =>
    mapValues(part, (value, key) =>
      withNamed(value, { plugin, what: `${type} ${what} ${key}`, ...(limit === undefined ? {} : { limit }) }, keys),
    );
  return {
    ...made,
    fields: fieldsOf(plugin, type, resource.fields),
    ...(resource.actions ? { actions: parts(resource.actions, 'action', ['handler'])! } : {}),
    ...(resource.listActions ? { listActions: parts(resource.listActions, 'action', ['handler'])! } : {}),
    ...(resource.parameters ? { parameters: parts(resource.parameters, 'parameter', ['narrow'])! } : {}),
    ...(resource.formats ? { formats: formatsOf(plugin, type, resource.formats) } : {}),
    ...(resource.sublists ? { sublists: parts(resource.sublists, 'sublist', ofSublists, patience.write)! } : {}),
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

/** knex's builders can be awaited too; an arrow function may well return the one that it narrowed. */
const isBuilder = (value: unknown): boolean => typeof (value as { toSQL?: unknown }).toSQL === 'function';

type Change = {
  [K in ContributionKind]?: (plugin: string, item: Contributions[K][number]) => Contributions[K][number];
};

/** Where the service holds a transaction open for a kind, it has a limited time; its work and its plans take what they take. */
function runKindOf(plugin: string, kind: RunKind): RunKind {
  const how = { plugin, what: `run kind ${kind.kind}` };
  const made = withNamed(kind, how, ['plan', 'secretsOf', 'finish', 'work', 'tells']);
  // elsewhere what is called `prepare` must be done at once
  const prepare = kind.prepare && named({ ...how, what: `${how.what} prepare` }, kind.prepare);
  return {
    ...withNamed({ ...made, ...(prepare && { prepare }) }, { ...how, limit: patience.write }, [
      'follow',
      'begin',
      'cancel',
    ]),
    ...(kind.resources ? { resources: kind.resources.map((resource) => resourceOf(plugin, resource)) } : {}),
  };
}

/** By kind; taps and tasks are guarded where they run, and what is offered is called by whoever uses it. */
const changes: Change = {
  resources: resourceOf,
  runKinds: runKindOf,
  routes: (plugin, route) => withNamed(route, { plugin, what: `route ${route.path}` }, ['handler', 'describe']),
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
