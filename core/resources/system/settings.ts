import {
  ApiError,
  type Call,
  field,
  forbidden,
  notFound,
  type Resource,
  type Route,
  ValidationError,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { pageOf as pageSchema, record, text } from '../../descriptors/describe/json-schema.ts';
import type { Bus } from '../../queue/bus.ts';
import { auditor, authenticated, superuser } from '../../rbac/rules.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { categoryName, settingCategories, settingViews } from '../../settings/categories.ts';
import { describeChange, describeFact, describeSetting } from '../../settings/describe-setting.ts';
import { shownList } from './shown-list.ts';
import { describeValues } from './value-schema.ts';
import { readFacts, type SettingFact, settingFacts } from '../../settings/facts.ts';
import { fixed, isWritable, planChange, planReset } from '../../settings/plan-change.ts';
import { recordChange } from '../../settings/record-change.ts';
import type { Settings } from '../../settings/settings.ts';
import { type ShownSetting, shownSettings } from '../../settings/shown-settings.ts';
import { changeStored, readStored } from '../../settings/store.ts';

interface Deps {
  db: Knex;
  keyRing: KeyRing;
  settings: Settings;
  bus?: Bus;
  config: { nodeName: string };
}

/** What stands under one slug. */
interface Page {
  shown: ShownSetting[];
  facts: Record<string, SettingFact>;
}

const base = '/api/v2/settings/';

export function settingRoutes({ db, keyRing, settings, bus, config }: Deps, resources: readonly Resource[]): Route[] {
  const store = { db, keyRing, settings, bus };
  const facts = settingFacts(resources);
  const change = ({ actor }: Call, changes: ReadonlyMap<string, unknown>) =>
    changeStored(store, changes, (trx) => recordChange(trx, { settings, actor, node: config.nodeName }, changes));
  const { values, changes } = describeValues(settings, facts);
  const shown = { schema: values };
  const page = ({ params }: Call) => pageOf(params.slug!, settings, facts);
  return [
    listRoute(settings, facts),
    loggingRoute(settings),
    {
      path: `${base}:slug/`,
      summary: 'The settings of a category',
      access: { GET: auditor, PATCH: superuser, PUT: superuser, DELETE: superuser },
      takes: changes,
      answers: { GET: shown, PATCH: shown, PUT: shown, DELETE: { status: 204, empty: true } },
      async handler(call) {
        // a change is planned on what other nodes stored a moment ago, too
        if (call.method !== 'GET') await settings.refresh(() => readStored(store));
        const { shown } = page(call);
        if (call.method === 'DELETE') {
          await change(call, planReset(settings, shown));
          return { status: 204 };
        }
        if (call.method !== 'GET') await change(call, planChange(settings, shown, call.body));
        return { status: 200, body: await valuesOf(db, page(call)) };
      },
      async describe(call) {
        const { actor } = call;
        if (!actor?.is_superuser && !actor?.is_system_auditor) throw forbidden();
        return { actions: actionsOf(page(call), actor.is_superuser && !actor.read_only) };
      },
    },
    resetRoute(
      async (call) => {
        await settings.refresh(() => readStored(store));
        return page(call).shown;
      },
      (call, one) => change(call, planReset(settings, [one])),
    ),
  ];
}

const loggingRoute = (settings: Settings): Route => ({
  path: `${base}logging/test/`,
  summary: 'Try where the log is sent to',
  access: { POST: superuser },
  takes: { type: 'object' },
  // it never succeeds
  answers: { POST: [] },
  handler: async () => tryLogging(settings),
});

const resetRoute = (
  read: (call: Call) => Promise<ShownSetting[]>,
  reset: (call: Call, one: ShownSetting) => Promise<void>,
): Route => ({
  path: `${base}:slug/:key/`,
  summary: 'One setting of a category, back to its default',
  access: { DELETE: superuser },
  answers: { DELETE: { status: 204, empty: true } },
  async handler(call) {
    const one = (await read(call)).find(({ key }) => key === call.params.key);
    if (!one) throw notFound();
    if (!isWritable(one)) throw ValidationError.field(one.key, fixed(one.key));
    await reset(call, one);
    return { status: 204 };
  },
});

/** The log goes to standard output, from where the machine takes it: there is nothing to try, and clients are told so. */
function tryLogging(settings: Settings): never {
  if (!settings.get('LOG_AGGREGATOR_ENABLED'))
    throw new ApiError(409, { error: 'Logging to an aggregator is not enabled: set LOG_AGGREGATOR_ENABLED.' });
  throw new ApiError(400, {
    error:
      'The service sends its log to no aggregator: it writes JSON lines to its standard output, for a collector there to take.',
  });
}

const categoryFields = { url: field.string(), slug: field.string(), name: field.string() };

/** The categories that hold anything, for those who may read them. */
function listRoute(settings: Settings, facts: Page['facts']): Route {
  return {
    path: base,
    root: 'settings',
    summary: 'The categories of settings',
    access: { GET: authenticated },
    answers: { GET: { schema: pageSchema(record({ url: text, slug: text, name: text })) } },
    async handler(call) {
      const { actor } = call;
      const used = [...shownSettings(settings).map(({ definition }) => definition), ...Object.values(facts)];
      const names = [...new Set(used.map(({ category }) => category))].map((slug) => [slug, categoryName(slug)]);
      const readable = actor!.is_superuser || actor!.is_system_auditor;
      const results = (readable ? [...Object.entries(settingViews), ...names] : [])
        .map(([slug, name]) => ({ url: `${base}${slug}/`, slug, name }))
        .toSorted((a, b) => (a.slug! < b.slug! ? -1 : 1));
      return shownList(
        { path: base, label: 'Category of settings', fields: categoryFields, search: ['name', 'slug'] },
        call,
        results,
      );
    },
  };
}

function pageOf(slug: string, settings: Settings, facts: Page['facts']): Page {
  const shown = shownSettings(settings);
  if (slug === 'all') return { shown, facts };
  if (slug === 'changed') return { shown: shown.filter(({ stored }) => stored), facts: {} };
  const own = shown.filter(({ definition }) => definition.category === slug);
  if (!own.length && !Object.hasOwn(settingCategories, slug)) throw notFound();
  return {
    shown: own,
    facts: Object.fromEntries(Object.entries(facts).filter(([, { category }]) => category === slug)),
  };
}

async function valuesOf(db: Knex, { shown, facts }: Page): Promise<Record<string, unknown>> {
  const fixed = Object.fromEntries(Object.entries(facts).map(([key, { value }]) => [key, value]));
  Object.assign(fixed, await readFacts(db, Object.keys(fixed)));
  return { ...Object.fromEntries(shown.map(({ key, value }) => [key, value])), ...fixed };
}

function actionsOf({ shown, facts }: Page, mayChange: boolean) {
  const own = Object.fromEntries(shown.map((setting) => [setting.key, describeSetting(setting)]));
  const fixed = Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, describeFact(key, fact)]));
  const PUT = Object.fromEntries(shown.map((setting) => [setting.key, describeChange(setting)]));
  return { GET: { ...own, ...fixed }, ...(mayChange ? { PUT } : {}) };
}
