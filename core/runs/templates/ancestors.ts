import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RunKinds } from '../kinds.ts';

interface Topmost {
  run: number;
  id: number;
  name: string;
  kind: string;
}

const topmostSql = `with recursive above as (
    select r.id as run, r.parent_id as at from runs r where r.id = any (?)
    union all select a.run, p.parent_id from above a join runs p on p.id = a.at where p.parent_id is not null
  )
  select a.run, r.id, r.name, r.kind from above a join runs r on r.id = a.at where r.parent_id is null`;

/** `ancestor_job` of runs that others launched: the one that all of it began with. */
export async function ancestorsOf(
  db: Knex,
  kinds: RunKinds,
  rows: readonly Row[],
): Promise<Map<number, Record<string, unknown>>> {
  const launched = rows.flatMap(({ id, parent_id: parent }) => (typeof parent === 'number' ? id : []));
  if (!launched.length) return new Map();
  const { rows: found } = await db.raw<{ rows: Topmost[] }>(topmostSql, [launched]);
  return new Map(
    found.map(({ run, id, name, kind }) => {
      const path = kinds.find(kind)?.resource.path;
      return [run, { ancestor_job: { id, name, type: kind, url: path ? `/api/v2/${path}/${id}/` : '' } }];
    }),
  );
}
