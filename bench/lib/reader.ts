import pg from 'pg';
import type { Service } from './service.ts';
import { templates } from './many-runs.ts';

const password = 'bench-secret';

/** An ordinary user who sees a tenth: one organization of twenty by its auditor role, as many templates of others with a team. */
export async function makeReader(
  service: Service,
  databaseUrl: string,
): Promise<{ id: number; authorization: string }> {
  const username = 'reader';
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const [known] = (await service.call('GET', `users/?username=${username}`)).results;
  if (known) return { id: known.id, authorization };
  const user = await service.call('POST', 'users/', { username, password });
  const organization = (await service.call('GET', 'organizations/?name=Organization+1')).results[0];
  const other = (await service.call('GET', 'organizations/?name=Organization+2')).results[0];
  await service.call('POST', `users/${user.id}/roles/`, {
    id: organization.summary_fields.object_roles.auditor_role.id,
  });
  const team = await service.call('POST', 'teams/', { name: 'Deployers', organization: other.id });
  await service.call('POST', `users/${user.id}/roles/`, { id: team.summary_fields.object_roles.member_role.id });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // every nineteenth template of the other organizations
  await client.query(
    `insert into role_teams (role_id, team_id)
     select r.id, $1 from (
       select t.id, row_number() over (order by t.id) as n from templates t where t.kind = 'job_template' and t.name like 'Deploy %' and t.organization_id <> $2) t
     join roles r on r.content_type = 'job_template' and r.role_field = 'execute_role' and r.object_id = t.id
     where t.n % 19 = 0 limit ${templates}`,
    [team.id, organization.id],
  );
  await client.query('analyze');
  await client.end();
  return { id: user.id, authorization };
}
