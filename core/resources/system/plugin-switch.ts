import { field, type PluginRoute } from '@tapline/plugin-sdk';
import { livingNodes } from '../../nodes/living.ts';
import { pluginSwitches, type SwitchDeps, switchPlugin, type SwitchWish } from '../../plugins/switch/switches.ts';
import { auditor, superuser } from '../../rbac/rules.ts';
import { shownList } from './shown-list.ts';
import { shownPage } from './shown-page.ts';

const path = '/api/v2/plugin_switches/';

const fields = {
  name: field.string({ help: 'By which it is switched: its folder, its package, or its path.' }),
  kind: field.choice(['bundled', 'package', 'path']),
  version: field.string(),
  description: field.string(),
  on: field.boolean({ help: 'Whether the node that answers serves with it.' }),
  enabled: field.boolean({ help: 'Whether it is on at the next start of that node.' }),
  optional: field.boolean({ help: 'Whether the service starts without it when it fails.' }),
  source: field.choice(['', 'TAPLINE_PLUGINS', 'plugins.json', 'config/plugins.ts'], { help: 'What switches it on.' }),
  restart: field.boolean({ help: 'Whether the next start changes something about it.' }),
  node: field.string({ help: 'Who answers: each node has a list of its own.' }),
  other_nodes: field.list({ help: 'Nodes that serve besides: they refuse to start with other plugins than the rest.' }),
};

const wished = {
  name: field.string({ required: true }),
  enabled: field.boolean({ required: true }),
  optional: field.boolean({ default: false, help: 'Left out when it fails, in the place of ending the start.' }),
};

/** What could be on, and switching it for the next start: as `tapline plugins enable` and `disable` on that node. */
export const pluginSwitchRoute = (deps: SwitchDeps): PluginRoute => {
  const { db, config } = deps;
  const rows = async () => {
    const others = (await livingNodes(db)).map(({ node }) => node).filter((node) => node !== config.nodeName);
    return pluginSwitches(config).map((row) => ({ ...row, other_nodes: others }));
  };
  return {
    path,
    root: 'plugin_switches',
    summary: 'Plugins that there are, and which are on at the next start',
    access: { GET: auditor, POST: superuser },
    fields: wished,
    answers: { GET: shownPage(fields), POST: { status: 200, fields } },
    async handler(call) {
      if (call.method === 'POST') {
        const wish = call.body as unknown as SwitchWish;
        await switchPlugin(deps, call.actor!, wish);
        return { status: 200, body: (await rows()).find(({ name }) => name === wish.name)! };
      }
      const list = { path, label: 'Plugin', fields, search: ['name', 'description'] };
      return shownList(list, call, await rows());
    },
  };
};
