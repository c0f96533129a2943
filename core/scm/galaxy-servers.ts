import type { Knex } from 'knex';
import { loadCredentials } from '../credentials/resolve.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

export interface GalaxyServers {
  env: Record<string, string>;
  secrets: string[];
}

/** Where an organization's projects get their requirements from, in its order; without any the engine asks the public server. */
export async function galaxyServers(
  { db, keyRing }: { db: Knex; keyRing: KeyRing },
  organization: number | null,
): Promise<GalaxyServers> {
  const rows = await db('organization_galaxy_credentials')
    .where({ organization_id: organization })
    .orderBy('position')
    .select('credential_id');
  const credentials = await loadCredentials(
    db,
    keyRing,
    rows.map((row) => row.credential_id),
  );
  const env: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [index, { inputs }] of credentials.entries()) {
    const name = `ANSIBLE_GALAXY_SERVER_SERVER${index}`;
    for (const [part, value] of [
      ['URL', inputs['url']],
      ['AUTH_URL', inputs['auth_url']],
      ['TOKEN', inputs['token']],
    ])
      if (value) env[`${name}_${part}`] = String(value);
    if (inputs['token']) secrets.push(String(inputs['token']));
  }
  if (credentials.length) env['ANSIBLE_GALAXY_SERVER_LIST'] = credentials.map((_, index) => `server${index}`).join(',');
  return { env, secrets };
}
