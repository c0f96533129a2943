import { field, type PluginRoute } from '@tapline/plugin-sdk';
import { moduleAddress } from '@tapline/plugin-sdk/checks';
import type { Registries } from '../../plugins/registries.ts';
import { authenticated } from '../../rbac/rules.ts';
import { middle } from './navigation.ts';
import { shownList } from './shown-list.ts';
import { shownPage } from './shown-page.ts';

const path = '/api/v2/console_pages/';

/** What plugins bring to the console: pages at a path and below it, and panels on the pages of records. */
export const consolePagesRoute = ({ registries }: { registries: Registries }): PluginRoute => ({
  path,
  root: 'console_pages',
  summary: 'Pages and panels that plugins bring to the console',
  access: { GET: authenticated },
  answers: { GET: shownPage(fields) },
  async handler(call) {
    const pages = registries
      .all('consolePages')
      .map(({ plugin, item }) => ({
        path: item.path,
        title: item.title,
        module: moduleAddress(item) ?? '',
        panels: (item.panels ?? []).map(({ on, title, order = middle, ...panel }) => ({
          on,
          title,
          order,
          module: moduleAddress(item, panel.module) ?? '',
          export: panel.export,
        })),
        plugin,
      }))
      .toSorted((a, b) => a.path.localeCompare(b.path, 'en'));
    return shownList({ path, label: 'Console page', fields, search: ['title', 'plugin'] }, call, pages);
  },
});

const fields = {
  path: field.string({ help: 'Route of the console; what lies below belongs to it.' }),
  title: field.string(),
  module: field.string({ help: 'Where its code is.' }),
  panels: field.list({ help: 'Parts of the pages of records: `on` is their type, `export` the name in the module.' }),
  plugin: field.string(),
};
