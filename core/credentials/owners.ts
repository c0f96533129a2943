import type { Knex } from 'knex';

interface OwnedRow {
  id: number;
  user_id: number | null;
  organization_id: number | null;
}

/** `summary_fields.owners` of a page of credentials, in two statements. */
export async function credentialOwners(db: Knex, rows: OwnedRow[]): Promise<Map<number, Record<string, unknown>>> {
  const ids = (column: 'user_id' | 'organization_id') => [
    ...new Set(rows.map((row) => row[column]).filter((id) => id !== null)),
  ];
  const [users, organizations] = await Promise.all([
    db('users')
      .whereRaw('id = any (?)', [ids('user_id')])
      .select(
        'id',
        'username as name',
        db.raw(`concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')) as description`),
      ),
    db('organizations')
      .whereRaw('id = any (?)', [ids('organization_id')])
      .select('id', 'name', 'description'),
  ]);
  const byId = (type: string, path: string, found: { id: number; name: string; description: string }[]) =>
    new Map(
      found.map(({ id, name, description }) => [id, { id, type, name, description, url: `/api/v2/${path}/${id}/` }]),
    );
  const userOf = byId('user', 'users', users);
  const organizationOf = byId('organization', 'organizations', organizations);
  return new Map(
    rows.map((row) => {
      const owners = [userOf.get(row.user_id ?? 0), organizationOf.get(row.organization_id ?? 0)].filter(
        (owner) => owner !== undefined,
      );
      return [row.id, { owners }];
    }),
  );
}
