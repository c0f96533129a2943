import { existsSync, readdirSync } from 'node:fs';
import { navigationKey } from '../checks/navigation.ts';
import { definePlugin, type Plugin } from '../plugin.ts';
import { offerProblems, type Point, points } from '../points.ts';
import type { Resource, Rule } from '../resource.ts';
import { isCronPattern } from './cron-pattern.ts';
import { entryProblems, nameProblems, pageProblems, rowlessProblems } from './declared.ts';
import { recordPlugin } from './record.ts';
import type { Contributions } from './recorded.ts';
import { lateContributions } from './rehearse.ts';

/** One promise that a plugin makes to the service; answers what is wrong, nothing when it is kept. */
export interface Promised {
  title: string;
  problems(plugin: Plugin): string[] | Promise<string[]>;
}

const contributionsOf = (plugin: Plugin): Contributions => recordPlugin(plugin).contributions;

const attempt = (work: () => unknown): string[] => {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
};

const isRule = (rule: Rule | undefined): boolean => typeof rule?.row === 'function' && typeof rule.query === 'function';

/** `undefined` where there is one of those; for lists of problems. */
const unless = (holds: unknown, problem: string): string[] => (holds ? [] : [problem]);

/** What every plugin must keep, checked without a database. */
export const promises: readonly Promised[] = [
  {
    title: 'has a manifest that is in order',
    problems: (plugin) => attempt(() => definePlugin(plugin)),
  },
  {
    title: 'registers synchronously, without services, and contributes nothing later',
    async problems(plugin) {
      const wrong = attempt(() => recordPlugin(plugin));
      if (wrong.length) return wrong;
      return (await lateContributions(plugin)).map((call) => `${call} came too late: move it into register`);
    },
  },
  {
    title: 'contributes the same each time it registers',
    problems(plugin) {
      const [first, second] = [contributionsOf(plugin), contributionsOf(plugin)].map(namesOf);
      return unless(
        JSON.stringify(first) === JSON.stringify(second),
        `first ${JSON.stringify(first)}, then ${JSON.stringify(second)}: register must not depend on time, chance or state`,
      );
    },
  },
  {
    title: 'states who may reach each resource and route',
    problems: (plugin) => accessProblems(contributionsOf(plugin)),
  },
  {
    title: 'guards what has no row by rules that need none',
    problems: (plugin) => rowlessProblems(contributionsOf(plugin)),
  },
  { title: 'says what a failing tap means for a launch', problems: (plugin) => tapProblems(contributionsOf(plugin)) },
  { title: 'checks the payloads of its tasks', problems: (plugin) => taskProblems(contributionsOf(plugin)) },
  { title: 'explains its settings', problems: (plugin) => settingProblems(contributionsOf(plugin)) },
  { title: 'offers what extension points take', problems: (plugin) => offersThatDoNotFit(contributionsOf(plugin)) },
  {
    title: 'names fields that there are, with defaults that fit',
    problems: (plugin) => nameProblems(contributionsOf(plugin)),
  },
  { title: 'brings its pages along', problems: (plugin) => pageProblems(contributionsOf(plugin)) },
  { title: 'has entries that a navigation can show', problems: (plugin) => entryProblems(contributionsOf(plugin)) },
  { title: 'names what is unique once only', problems: (plugin) => clashes(contributionsOf(plugin)) },
  { title: 'keeps its data in tables that its migrations make', problems: dataProblems },
];

/** Every promise that the plugin breaks: `title: problem`. */
export async function conformanceProblems(plugin: Plugin): Promise<string[]> {
  const broken = await Promise.all(
    promises.map(async ({ title, problems }) => {
      try {
        return (await problems(plugin)).map((problem) => `${title}: ${problem}`);
      } catch (error) {
        return [`${title}: ${(error as Error).message}`];
      }
    }),
  );
  return [...new Set(broken.flat())];
}

interface TestFunctions {
  describe?: (title: string, define: () => void) => void;
  it?: (title: string, run: () => Promise<void>) => void;
}

/** Defines one test per promise with the `describe` and `it` of the test runner. */
export function describeConformance(plugin: Plugin): void {
  const { describe, it } = globalThis as TestFunctions;
  if (!describe || !it) throw new Error('describeConformance needs describe and it, as mocha provides them');
  describe(`plugin ${plugin.id} as the service expects it`, () => {
    for (const { title, problems } of promises)
      it(title, async () => {
        const found = await problems(plugin);
        if (found.length) throw new Error(found.join('\n'));
      });
  });
}

interface Named {
  type?: string;
  path?: string;
  key?: string;
  name?: string;
  point?: string;
  resource?: string;
  options?: { name?: string };
  task?: { name?: string };
}

function namesOf(contributions: Contributions): string[] {
  return Object.entries(contributions).flatMap(([kind, items]) =>
    (items as Named[]).map(
      (item) =>
        `${kind}: ${item.type ?? item.path ?? item.key ?? item.options?.name ?? item.name ?? item.point ?? item.resource ?? item.task?.name ?? ''}`,
    ),
  );
}

function accessProblems({ resources, extensions, routes, restrictions, permissions }: Contributions): string[] {
  return [
    ...extensions.flatMap(({ type, extension }) => actionProblems(`extension of ${type}`, extension)),
    ...resources.flatMap(({ type, access, ...rest }) => [
      ...unless(isRule(access?.see), `resource ${type}: access.see must be a rule with row and query`),
      ...Object.entries(access ?? {})
        .filter(([, rule]) => rule !== undefined && !isRule(rule))
        .map(([name]) => `resource ${type}: access.${name} must be a rule with row and query`),
      ...actionProblems(`resource ${type}`, rest),
    ]),
    ...routes.flatMap(({ path, access }) =>
      unless(stated(access), `route ${path} states no access: say \`everybody\` where it is meant`),
    ),
    ...permissions.flatMap(({ name, rule }) => unless(isRule(rule), `permission ${name} must have row and query`)),
    ...restrictions.flatMap(({ resource, restriction }) =>
      unless(isRule(restriction as Rule), `restriction on ${resource} must have row and query`),
    ),
  ];
}

const actionProblems = (of: string, { actions = {}, listActions = {} }: Pick<Resource, 'actions' | 'listActions'>) =>
  Object.entries({ ...actions, ...listActions }).flatMap(([name, action]) =>
    unless(stated(action.access), `${of}: action ${name} states no access`),
  );

const stated = (access: Record<string, Rule | undefined> | undefined) =>
  Object.keys(access ?? {}).length > 0 && Object.values(access ?? {}).every(isRule);

const tapProblems = ({ taps }: Contributions): string[] =>
  taps.flatMap(({ hook, options, run }) => [
    ...unless(options?.name, `a tap on ${hook} has no name`),
    ...unless(typeof run === 'function', `tap ${options?.name} on ${hook} is no function`),
    ...unless(
      hook !== 'beforeStart' || ['allow', 'deny'].includes(options?.failMode ?? ''),
      `tap ${options?.name} on beforeStart: failMode must be 'allow' or 'deny'`,
    ),
  ]);

const taskProblems = ({ tasks, crons }: Contributions): string[] => [
  ...tasks.flatMap(({ name, options }) =>
    unless(typeof options?.schema?.safeParse === 'function', `task ${name} has no schema for its payload`),
  ),
  ...crons.flatMap(({ task, match }) => [
    ...unless(
      tasks.some(({ name }) => name === task?.name),
      `a cron entry names ${task?.name}, which is no task of the plugin`,
    ),
    ...unless(
      isCronPattern(match),
      `the cron entry of ${task?.name} has ${JSON.stringify(match)}, which is no pattern of five fields like "0 3 * * *"`,
    ),
  ]),
];

const settingProblems = ({ settings }: Contributions): string[] =>
  settings.flatMap(({ key, category, help, default: given }) => [
    ...unless(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(key ?? ''), `setting ${key} must be UPPER_SNAKE`),
    ...unless(category, `setting ${key} needs a category`),
    ...unless(help?.trim(), `setting ${key} needs a sentence of help`),
    ...unless(given !== undefined, `setting ${key} needs a default`),
  ]);

/** Of the service's points and the plugin's own: others' are known where their owners are. */
const offersThatDoNotFit = ({ points: own, offers }: Contributions): string[] =>
  offers.flatMap(({ point: name, implementation }) => {
    const known = [...Object.values<Point<object>>(points), ...own].find((point) => point.name === name);
    const problems = known ? offerProblems(known, implementation) : [];
    return problems.map((problem) => `an offer to ${name}: ${problem}`);
  });

function clashes(contributions: Contributions): string[] {
  const { resources, settings, taps, tasks, groups, navigation, insights, points: opened } = contributions;
  const { permissions, routes, pages, consolePages } = contributions;
  const named: [string, string[]][] = [
    ['type', resources.map(({ type }) => type)],
    ['path', [...resources.map(({ path }) => `/api/v2/${path}/`), ...[...routes, ...pages].map(({ path }) => path)]],
    ['setting', settings.map(({ key }) => key)],
    ['tap', taps.map(({ hook, options }) => `${hook} ${options?.name}`)],
    ['task', tasks.map(({ name }) => name)],
    ['WebSocket group', groups.map(({ name }) => name)],
    ['navigation entry', [...navigation, ...consolePages].map(({ path }) => navigationKey(path ?? ''))],
    ['insight', insights.map(({ name }) => name)],
    ['extension point', opened.map(({ name }) => name)],
    ['permission', permissions.map(({ name }) => name)],
  ];
  return named.flatMap(([kind, names]) =>
    names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${kind} ${name} is there twice`),
  );
}

async function dataProblems(plugin: Plugin): Promise<string[]> {
  const { resources, extensions } = contributionsOf(plugin);
  const tables = [
    ...resources.map(({ table }) => table),
    ...extensions.flatMap(({ extension }) => extension.table ?? []),
  ];
  const found = tables
    .filter((table) => !/^[a-z_][a-z0-9_]*$/.test(table ?? ''))
    .map((table) => `table ${table} must be a plain name: the service adds the schema`);
  if (!plugin.migrations)
    return [...found, ...unless(!tables.length, 'there are tables, but the manifest has no migrations')];
  if (!existsSync(plugin.migrations)) return [...found, `there is no folder ${plugin.migrations.href}`];
  const files = readdirSync(plugin.migrations).filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith('.d.ts'));
  const broken = await Promise.all(
    files.map(async (file) => {
      if (!/^\d{4}_\w+\.(ts|js)$/.test(file)) return `migration ${file} must be named like 0001_things.ts`;
      const { up } = await import(new URL(file, plugin.migrations).href);
      return typeof up === 'function' ? undefined : `migration ${file} exports no function up`;
    }),
  );
  return [
    ...found,
    ...unless(files.length, 'the folder of migrations is empty'),
    ...broken.filter((one) => one !== undefined),
  ];
}
