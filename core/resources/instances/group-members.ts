import { ApiError, type Columns, type Row, type WriteContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

type Node = Row & { hostname: string; node_type: string };
type Group = Row & { name: string; is_container_group: boolean };

/** A node that is put into a group by hand is one that the group names (contract §15). */
export async function joinByHand(trx: Knex, group: Group, { hostname, node_type: type }: Node): Promise<void> {
  if (type !== 'execution' && type !== 'hybrid')
    throw new ApiError(400, { msg: `A ${type} node carries out nothing, so it belongs to no instance group.` });
  if (group.is_container_group) throw new ApiError(400, { msg: 'A group of containers has no nodes.' });
  await trx.raw(
    `update instance_groups set policy_instance_list = policy_instance_list || to_jsonb(:hostname::text)
     where id = :id and not policy_instance_list @> to_jsonb(:hostname::text)`,
    { id: group.id, hostname },
  );
}

export async function leaveByHand(trx: Knex, group: Group, { hostname, node_type: type }: Node): Promise<void> {
  if (group.name === 'controlplane' && type === 'hybrid')
    throw new ApiError(400, { msg: `${hostname} serves the control plane and cannot be taken out of it.` });
  await trx.raw(
    'update instance_groups set policy_instance_list = policy_instance_list - :hostname::text where id = :id',
    {
      id: group.id,
      hostname,
    },
  );
}

/** What a group may ask for, over the row as it will be. */
export async function groupProblems({ trx, input, before }: WriteContext): Promise<Record<string, string[]>> {
  const row = { ...before, ...input };
  const problems: Record<string, string[]> = {};
  if (before && ['default', 'controlplane'].includes(String(before['name'])) && row['name'] !== before['name'])
    problems['name'] = ['This group is there for the service itself and keeps its name.'];
  const asked = ['policy_instance_percentage', 'policy_instance_minimum'].filter((name) => Number(row[name]) > 0);
  const list = (row['policy_instance_list'] ?? []) as unknown[];
  if (row['is_container_group'])
    for (const name of [...asked, ...(list.length ? ['policy_instance_list'] : [])])
      problems[name] = ['A group of containers has no nodes.'];
  const judged = ['credential_id', 'is_container_group'].some((name) => input[name] !== undefined);
  const wrong = judged ? await credentialProblem(trx, row) : undefined;
  if (wrong) problems['credential'] = [wrong];
  if (input['policy_instance_list'] !== undefined) {
    const problem = await listProblem(trx, list);
    if (problem) problems['policy_instance_list'] = [problem];
  }
  return problems;
}

async function credentialProblem(trx: Knex, row: Columns): Promise<string | undefined> {
  if (row['credential_id'] == null) return undefined;
  if (!row['is_container_group']) return 'Only a group of containers has a credential.';
  const type = await trx('credentials as c')
    .join('credential_types as t', 't.id', 'c.credential_type_id')
    .where('c.id', row['credential_id'])
    .first('t.kind');
  return !type || type.kind === 'kubernetes' ? undefined : 'Only a credential of the kind kubernetes fits here.';
}

async function listProblem(trx: Knex, list: readonly unknown[]): Promise<string | undefined> {
  if (!list.every((name) => typeof name === 'string')) return 'Must be a list of hostnames.';
  if (new Set(list).size < list.length) return 'A hostname stands in it twice.';
  const known: string[] = list.length
    ? await trx('instances')
        .whereIn('hostname', list as string[])
        .pluck('hostname')
    : [];
  const missing = list.filter((name) => !known.includes(name as string));
  return missing.length ? `No instance is called ${missing.slice(0, 20).join(', ')}.` : undefined;
}
