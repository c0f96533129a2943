import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SourceRepository } from '../scm/repository.ts';
import type { Api } from './api.ts';
import { persist } from './api.ts';
import { lines, type PlayName, playNames, playOf, secrets } from './plays.ts';

interface Places {
  data: string;
  /** where playbooks leave their lines, outside the service */
  proof: string;
  /** holds the repository */
  source: string;
}

/** A job template for each play, and what they need. */
export async function makeTemplates(api: Api, places: Places): Promise<Record<PlayName, number>> {
  const organization = await idOf(api, 'organizations/?name=Default');
  const inventory = await idOf(api, 'inventories/?name=Demo+Inventory');
  const local = await localProject(api, places, organization);
  const updated = await updatedProject(api, places, organization);
  const credential = await makeCredential(api, organization);
  const templates: Partial<Record<PlayName, number>> = {};
  for (const name of playNames) {
    const play = playOf(name);
    const { id } = await api.call('POST', 'job_templates/', {
      name,
      project: play.updated ? updated : local,
      inventory,
      playbook: `${name}.yml`,
      allow_simultaneous: true,
      ask_variables_on_launch: true,
      ...play.columns,
    });
    if (play.credentials) await api.call('POST', `job_templates/${id}/credentials/`, { id: credential });
    templates[name] = id;
  }
  return templates as Record<PlayName, number>;
}

/** That an inventory source brings: all of them bear the number of the update that did. */
export const broughtHosts = 40;

/** Slow enough to be hit in the middle. */
const sourceScript = `#!/bin/sh
hosts= vars=
for n in $(seq 1 ${broughtHosts - 1}) $INVENTORY_UPDATE_ID-only; do
  hosts="$hosts,\\"host-$n\\""
  vars="$vars,\\"host-$n\\":{\\"generation\\":$INVENTORY_UPDATE_ID}"
done
sleep 0.5
echo "{\\"_meta\\":{\\"hostvars\\":{\${vars#,}}},\\"brought\\":{\\"hosts\\":[\${hosts#,}]}}"
`;

/** Two sources, each with an inventory of its own: each update replaces all that the one before brought. */
async function makeSources(api: Api): Promise<[path: string, body: object][]> {
  const organization = await idOf(api, 'organizations/?name=Default');
  const updates: [string, object][] = [];
  for (const name of ['Brought', 'Brought too']) {
    const inventory = (await api.call('POST', 'inventories/', { name, organization })).id;
    const told = { name, inventory, source: 'custom', source_script: sourceScript };
    const { id } = await api.call('POST', 'inventory_sources/', { ...told, overwrite: true, overwrite_vars: true });
    updates.push([`inventory_sources/${id}/update/`, {}]);
  }
  return updates;
}

/** An ad hoc command that leaves lines as plays do, a system job that only counts what it would remove, and updates of inventories. */
export async function otherLaunches(
  api: Api,
  { proof }: Pick<Places, 'proof'>,
): Promise<[path: string, body: object][]> {
  const inventory = await idOf(api, 'inventories/?name=Demo+Inventory');
  const cleanup = await idOf(api, 'system_job_templates/?job_type=cleanup_jobs');
  const numbers = Array.from({ length: lines }, (_, index) => index + 1).join(' ');
  const module_args = `for i in ${numbers}; do echo $i >> ${proof}/$AD_HOC_COMMAND_ID; sleep 0.05; done`;
  return [
    ['ad_hoc_commands/', { inventory, module_name: 'shell', module_args }],
    [`system_job_templates/${cleanup}/launch/`, { extra_vars: { days: 30, dry_run: true } }],
    ...(await makeSources(api)),
  ];
}

const idOf = async (api: Api, path: string): Promise<number> => (await api.call('GET', path)).results[0].id;

async function localProject(api: Api, { data, proof }: Places, organization: number): Promise<number> {
  const folder = join(data, 'projects', 'chaos');
  mkdirSync(folder, { recursive: true });
  for (const name of playNames) writeFileSync(join(folder, `${name}.yml`), playOf(name).playbook(proof));
  return (await api.call('POST', 'projects/', { name: 'Chaos', organization, local_path: 'chaos' })).id;
}

async function updatedProject(api: Api, { proof, source }: Places, organization: number): Promise<number> {
  const repository = new SourceRepository(source);
  repository.commit(
    Object.fromEntries(
      playNames.filter((name) => playOf(name).updated).map((name) => [`${name}.yml`, playOf(name).playbook(proof)]),
    ),
  );
  const { id } = await api.call('POST', 'projects/', {
    name: 'Updated',
    organization,
    scm_type: 'git',
    scm_url: repository.url,
    scm_update_on_launch: true,
  });
  await persist('the first update', async () => {
    const { status } = await api.call('GET', `projects/${id}/`);
    if (status !== 'successful') throw new Error(`the project is ${status}`);
  });
  return id;
}

/** One password is stored, and one is asked for at each launch. */
async function makeCredential(api: Api, organization: number): Promise<number> {
  const credential_type = await idOf(api, 'credential_types/?namespace=ssh');
  const inputs = { password: secrets.stored, become_password: 'ASK' };
  return (await api.call('POST', 'credentials/', { name: 'Chaos', organization, credential_type, inputs })).id;
}

/** Playbooks run as other users. */
export function makePlaces(base: string): Places {
  chmodSync(base, 0o755);
  const places = { data: join(base, 'data'), proof: join(base, 'proof'), source: join(base, 'source') };
  for (const folder of [places.proof, places.source]) mkdirSync(folder);
  chmodSync(places.proof, 0o777);
  return places;
}
