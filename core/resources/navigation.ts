import { field, type PluginRoute } from '@tapline/plugin-sdk';
import type { Registries } from '../plugins/registries.ts';
import { authenticated } from '../rbac/rules.ts';
import { shownPage } from './shown-page.ts';

const middle = 1000;

/** What plugins add to the navigation of clients, in its order; clients bring their own entries for what core has. */
export const navigationRoute = ({ registries }: { registries: Registries }): PluginRoute => ({
  path: '/api/v2/navigation/',
  root: 'navigation',
  summary: 'Navigation entries of plugins',
  access: { GET: authenticated },
  answers: { GET: shownPage(fields) },
  async handler() {
    const results = registries
      .all('navigation')
      .map(({ plugin, item: { path, label, order = middle, section = '' } }) => ({
        path,
        label,
        order,
        section,
        plugin,
      }))
      .toSorted((a, b) => a.order - b.order || a.label.localeCompare(b.label, 'en'));
    return { status: 200, body: { count: results.length, next: null, previous: null, results } };
  },
});

const fields = {
  path: field.string({ help: 'Route of the client.' }),
  label: field.string(),
  order: field.integer({ help: 'Smaller stands higher.' }),
  section: field.string({ help: 'The heading under which it stands.' }),
  plugin: field.string(),
};
