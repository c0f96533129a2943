import type { Knex } from 'knex';
import { awsType } from './types/aws.ts';
import { azureType } from './types/azure.ts';
import {
  bitbucketTokenType,
  galaxyType,
  githubTokenType,
  gitlabTokenType,
  gpgKeyType,
  registryType,
  sourceControlType,
} from './types/content.ts';
import { googleType } from './types/google.ts';
import { insightsType } from './types/insights.ts';
import { kubernetesType } from './types/kubernetes.ts';
import { machineType, vaultType } from './types/machine.ts';
import type { ManagedType } from './types/managed-type.ts';
import { networkType } from './types/network.ts';
import { openstackType } from './types/openstack.ts';
import { platformType } from './types/platform.ts';
import { terraformType } from './types/terraform.ts';
import { ovirtType, satelliteType, vmwareType } from './types/virtualization.ts';

/** Types that come with the service, one line each. New ones go to the end: their ids follow this order in a new database. */
export const managedTypes: readonly ManagedType[] = [
  machineType,
  sourceControlType,
  vaultType,
  galaxyType,
  networkType,
  awsType,
  openstackType,
  vmwareType,
  satelliteType,
  googleType,
  azureType,
  githubTokenType,
  gitlabTokenType,
  bitbucketTokenType,
  platformType,
  kubernetesType,
  registryType,
  gpgKeyType,
  terraformType,
  insightsType,
  ovirtType,
];

const byNamespace = new Map(managedTypes.map((type) => [type.namespace, type]));

export const managedType = (namespace: string): ManagedType | undefined => byNamespace.get(namespace);

/** Brings the managed types in the database up to this version's. Safe to run by many nodes at once. */
export async function ensureManagedTypes(db: Knex, external: readonly ManagedType[] = []): Promise<void> {
  const rows = [...managedTypes, ...external].map((type) => ({
    namespace: type.namespace,
    kind: type.kind,
    name: type.name,
    description: type.description,
    inputs: JSON.stringify(type.inputs),
    injectors: '{}',
    managed: true,
  }));
  // one that users made before this version had a type of that name
  await db.raw(
    `update credential_types c set name = c.name || ' (' || c.id || ')' from jsonb_to_recordset(?::jsonb) as n(name text, kind text)
     where c.namespace is null and c.name = n.name and c.kind = n.kind`,
    [JSON.stringify(rows)],
  );
  await db('credential_types')
    .insert(rows)
    .onConflict('namespace')
    .merge({
      kind: db.raw('excluded.kind'),
      name: db.raw('excluded.name'),
      description: db.raw('excluded.description'),
      inputs: db.raw('excluded.inputs'),
      injectors: db.raw('excluded.injectors'),
      modified: db.fn.now(),
    })
    .whereRaw(`(credential_types.kind, credential_types.name, credential_types.description, credential_types.inputs, credential_types.injectors)
      is distinct from (excluded.kind, excluded.name, excluded.description, excluded.inputs, excluded.injectors)`);
}
