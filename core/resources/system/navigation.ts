import { field, type PluginRoute } from '@tapline/plugin-sdk';
import type { Registries } from '../../plugins/registries.ts';
import { authenticated } from '../../rbac/rules.ts';
import { shownList } from './shown-list.ts';
import { shownPage } from './shown-page.ts';

/** Where an entry or a panel stands that says nothing of it. */
export const middle = 1000;
const path = '/api/v2/navigation/';

/** What plugins add to the navigation of clients, in its order; clients bring their own entries for what core has. */
export const navigationRoute = ({ registries }: { registries: Registries }): PluginRoute => ({
  path,
  root: 'navigation',
  summary: 'Navigation entries of plugins',
  access: { GET: authenticated },
  answers: { GET: shownPage(fields) },
  async handler(call) {
    // the page at / is the client itself
    const served = registries.all('pages').flatMap(({ item }) => (item.path === '/' ? [] : [item.path]));
    const entries = registries
      .all('navigation')
      .map(({ plugin, item: { path, label, order = middle, section = '' } }) => ({
        path,
        label,
        order,
        section,
        served: served.some((folder) => `${path}/`.startsWith(folder)),
        plugin,
      }))
      .toSorted((a, b) => a.order - b.order || a.label.localeCompare(b.label, 'en'));
    return shownList(
      { path, label: 'Navigation entry', fields, search: ['label', 'section', 'plugin'] },
      call,
      entries,
    );
  },
});

const fields = {
  path: field.string({ help: 'Route of the client.' }),
  label: field.string(),
  order: field.integer({ help: 'Smaller stands higher.' }),
  section: field.string({ help: 'The heading under which it stands.' }),
  served: field.boolean({ help: 'A plugin serves a page of its own at the path, outside of the console.' }),
  plugin: field.string(),
};
