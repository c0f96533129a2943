import { field, type HealthReport, notFound, type PluginRoute } from '@tapline/plugin-sdk';
import type { PluginHealth } from '../../plugins/services/health.ts';
import { inventoryOf } from '../../plugins/inventory.ts';
import type { LeftOut } from '../../plugins/find/load.ts';
import type { Registered, Registries } from '../../plugins/registries.ts';
import { auditor } from '../../rbac/rules.ts';
import { shownList } from './shown-list.ts';
import { shownPage } from './shown-page.ts';

interface Deps {
  registries: Registries;
  pluginHealth: PluginHealth;
}

const base = '/api/v2/plugins/';

/** Which plugins are on, what they contribute and how they are; and those that were left out, with the reason. */
export function pluginStatusRoutes({ registries, pluginHealth }: Deps): PluginRoute[] {
  const on = async (one: Registered) => showOn(one, await pluginHealth.of(one.plugin.id));
  return [
    {
      path: base,
      root: 'plugins',
      summary: 'Plugins: list',
      access: { GET: auditor },
      answers: { GET: shownPage(fields) },
      async handler(call) {
        const all = [...(await Promise.all(registries.plugins.map(on))), ...registries.leftOut.map(showLeftOut)];
        return shownList({ path: base, label: 'Plugin', fields, search: ['id', 'title', 'description'] }, call, all);
      },
    },
    {
      path: `${base}:plugin/`,
      summary: 'Plugins: show',
      access: { GET: auditor },
      answers: { GET: { fields } },
      async handler({ params }) {
        const found = registries.find(params.plugin!);
        if (found) return { status: 200, body: await on(found) };
        const gone = registries.leftOut.find(({ id }) => id === params.plugin);
        if (!gone) throw notFound('No plugin of this id is on.');
        return { status: 200, body: showLeftOut(gone) };
      },
    },
  ];
}

function showOn(one: Registered, health: HealthReport | null) {
  const { plugin, optional } = one;
  const { id, title, version, description = '', sdk, requires = [] } = plugin;
  return {
    id,
    type: 'plugin',
    url: `${base}${id}/`,
    title,
    version,
    description,
    sdk,
    requires,
    optional,
    state: 'on',
    reason: '',
    health,
    contributions: inventoryOf(one),
  };
}

const showLeftOut = ({ id, reason }: LeftOut) => ({
  id,
  type: 'plugin',
  url: `${base}${encodeURIComponent(id)}/`,
  title: id,
  version: null,
  description: '',
  sdk: null,
  requires: [],
  optional: true,
  state: 'left out',
  reason,
  health: null,
  contributions: {},
});

const fields = {
  id: field.string(),
  type: field.string(),
  url: field.string(),
  title: field.string(),
  version: field.string({ nullable: true }),
  description: field.string(),
  sdk: field.string({ nullable: true, help: 'The range of SDK versions that it works with.' }),
  requires: field.list({ help: 'Ids of the plugins that it needs.' }),
  optional: field.boolean({ help: 'Whether the service starts without it when it fails.' }),
  state: field.choice(['on', 'left out']),
  reason: field.string({ help: 'Why it was left out.' }),
  health: field.json({
    nullable: true,
    help: '`status` (ok, degraded, failed) and `detail`: by its own check, and degraded while a task of it keeps failing; null where there is nothing to tell.',
  }),
  contributions: field.json({ help: 'Number and names of what it contributes, by kind.' }),
};
