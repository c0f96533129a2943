import { field, type Route } from '@tapline/plugin-sdk';
import { authenticated } from '../../rbac/rules.ts';
import { shownList } from '../system/shown-list.ts';
import { shownPage } from '../system/shown-page.ts';

const path = '/api/v2/receptor_addresses/';

const fields = {
  id: field.integer(),
  url: field.string(),
  address: field.string(),
  port: field.integer(),
  protocol: field.string(),
  websocket_path: field.string(),
  is_internal: field.boolean(),
  canonical: field.boolean(),
  instance: field.integer(),
  peers_from_control_nodes: field.boolean(),
  full_address: field.string(),
};

/** Under which address nodes are reached by a mesh. There is none: they talk by the database, and clients that look one up find nothing. */
export const receptorAddressesRoute = (): Route => ({
  path,
  root: 'receptor_addresses',
  summary: 'Addresses of nodes in a mesh: none',
  access: { GET: authenticated },
  answers: { GET: shownPage(fields) },
  handler: async (call) => shownList({ path, label: 'Receptor address', fields, search: ['address'] }, call, []),
});
