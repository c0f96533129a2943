import type { Knex } from 'knex';

const copied = [
  'organization_id',
  'scm_type',
  'scm_url',
  'scm_branch',
  'scm_refspec',
  'scm_clean',
  'scm_track_submodules',
  'scm_delete_on_update',
  'credential_id',
  'local_path',
  'timeout',
  'name',
  'description',
];

/** One project update per project in status `new`, in one statement; manual projects get none. */
export async function insertUpdates(
  trx: Knex,
  projects: readonly number[],
  columns: Record<string, unknown>,
): Promise<{ id: number; template_id: number }[]> {
  if (!projects.length) return [];
  const own = { kind: 'project_update', job_type: 'check', status: 'new', impact: 1, ...columns };
  const names = Object.keys(own);
  const list = [...names, 'template_id', 'project_id', ...copied];
  const { rows } = await trx.raw(
    `insert into runs (${list.map(() => '??').join(', ')})
     select ${names.map(() => '?').join(', ')}, p.id, p.id, ${copied.map(() => 'p.??').join(', ')}
     from templates p where p.id = any(?) and p.kind = 'project' and p.scm_type <> '' order by p.id
     returning id, template_id`,
    [...list, ...(Object.values(own) as any[]), ...copied, [...projects]],
  );
  return rows;
}
