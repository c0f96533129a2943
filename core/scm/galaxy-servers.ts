import { type LookupDeps, lookUpInputs } from '../credentials/lookups.ts';
import { loadCredentials, type ResolvedCredential } from '../credentials/resolve.ts';

export interface GalaxyServers {
  env: Record<string, string>;
  secrets: string[];
  credentials: ResolvedCredential[];
}

/** Where an organization's projects get their requirements from, in its order; without any the engine asks the public server. */
export async function galaxyServers(deps: LookupDeps, organization: number | null): Promise<GalaxyServers> {
  const credentials = await lookUpInputs(deps, await storedServers(deps, organization));
  const env: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [index, { inputs }] of credentials.entries()) {
    const name = `ANSIBLE_GALAXY_SERVER_SERVER${index}`;
    for (const [part, value] of [
      ['URL', inputs['url']],
      ['AUTH_URL', inputs['auth_url']],
      ['TOKEN', inputs['token']],
      ['USERNAME', ''],
      ['PASSWORD', ''],
    ])
      // said also where it is nothing: what is not said is read from the repository's own configuration
      env[`${name}_${part}`] = String(value ?? '');
    if (inputs['token']) secrets.push(String(inputs['token']));
  }
  if (credentials.length) env['ANSIBLE_GALAXY_SERVER_LIST'] = credentials.map((_, index) => `server${index}`).join(',');
  return { env, secrets, credentials };
}

/** Their credentials, with what is kept here. */
export async function storedServers(
  { db, keyRing }: Pick<LookupDeps, 'db' | 'keyRing'>,
  organization: number | null,
): Promise<ResolvedCredential[]> {
  const rows = await db('organization_galaxy_credentials')
    .where({ organization_id: organization })
    .orderBy('position')
    .select('credential_id');
  return loadCredentials(
    db,
    keyRing,
    rows.map((row) => row.credential_id),
  );
}
