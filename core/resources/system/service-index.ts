import type { Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { record, text } from '../../descriptors/describe/json-schema.ts';
import { auditor, authenticated } from '../../rbac/rules.ts';

const index = '/api/v2/service-index/';
const entries = { metadata: `${index}metadata/` };

/** Which service this is, for one that keeps several of them together; its users and teams are read from their own lists. */
export const serviceIndexRoutes = ({ db }: { db: Knex }): Route[] => [
  {
    path: index,
    root: 'service_index',
    summary: 'What tells of this service',
    access: { GET: authenticated },
    answers: { GET: { schema: record({ metadata: text }) } },
    handler: async () => ({ status: 200, body: entries }),
  },
  {
    path: entries.metadata,
    summary: 'The id and the kind of this service',
    access: { GET: auditor },
    answers: { GET: { schema: record({ service_id: text, service_type: text }) } },
    handler: async () => ({ status: 200, body: { service_id: await installUuid(db), service_type: 'awx' } }),
  },
];

/** The same on every node of an installation. */
export async function installUuid(db: Knex): Promise<string> {
  const state = await db('service_state').where('key', 'install_uuid').first('value');
  return state?.value ?? '';
}
