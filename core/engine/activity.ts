import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Compiled, Engine } from './compile.ts';
import { type Changes, changesBetween, changesOf, nameColumn } from './activity-changes.ts';

/** One end of an entry. */
interface Side {
  model: Compiled;
  row: any;
}

/** Writes who did what into the activity stream, each entry by one statement in the transaction of the write itself. */
export interface Activity {
  created: (trx: Knex, engine: Engine, call: Call, object: Side) => Promise<void>;
  updated: (trx: Knex, engine: Engine, call: Call, object: Side & { before: any }) => Promise<void>;
  /** before the row goes, while its links can still be named */
  deleted: (trx: Knex, engine: Engine, call: Call, object: Side & { more?: Record<string, unknown> }) => Promise<void>;
  linked: (
    trx: Knex,
    engine: Engine,
    call: Call,
    link: { operation: 'associate' | 'disassociate'; relation: string; parent: Side; child: Side },
  ) => Promise<void>;
}

interface Deps {
  settings: { get: (key: 'ACTIVITY_STREAM_ENABLED') => unknown };
  /** name of this node */
  node: string;
}

interface Entry {
  operation: string;
  sides: Side[];
  relation?: string;
  changes: Changes;
}

export function createActivity({ settings, node }: Deps): Activity {
  const record = async (trx: Knex, call: Call, entry: Entry) => {
    // entries of entries would never end
    if (entry.sides[0]!.model.type !== 'activity_stream') await insertEntry(trx, call, entry, node);
  };
  const enabled = () => settings.get('ACTIVITY_STREAM_ENABLED') !== false;
  return {
    async created(trx, { models }, call, side) {
      if (!enabled()) return;
      await record(trx, call, { operation: 'create', sides: [side], changes: changesOf(models, side.model, side.row) });
    },
    async updated(trx, { models }, call, { before, ...side }) {
      const changes = enabled() ? changesBetween(models, side.model, before, side.row) : undefined;
      if (changes) await record(trx, call, { operation: 'update', sides: [side], changes });
    },
    async deleted(trx, { models }, call, { more, ...side }) {
      if (!enabled()) return;
      const { plain, links } = changesOf(models, side.model, side.row);
      await record(trx, call, { operation: 'delete', sides: [side], changes: { plain: { ...plain, ...more }, links } });
    },
    async linked(trx, _engine, call, { operation, relation, parent, child }) {
      if (!enabled()) return;
      const ofRole = [parent, child].some(({ model }) => model.type === 'role');
      const plain = {
        object1: parent.model.type,
        object1_pk: parent.row.id,
        object2: child.model.type,
        object2_pk: child.row.id,
        action: operation,
        relationship: relation,
      };
      const sides = [parent, child];
      await record(trx, call, {
        operation,
        sides,
        relation: ofRole ? 'role' : relation,
        changes: { plain, links: {} },
      });
    },
  };
}

async function insertEntry(trx: Knex, { actor }: Call, entry: Entry, node: string): Promise<void> {
  const { operation, sides, relation = '', changes } = entry;
  const [first, second] = sides;
  const links = Object.entries(changes.links);
  const organization = organizationSql(first!);
  await trx.raw(
    `with entry as (
       insert into activity_stream (operation, actor_id, actor_names, object1, object2, object_association, object_type, action_node, organization_id, changes)
       select ?, u.id, json_build_object('username', u.username, 'first_name', u.first_name, 'last_name', u.last_name), ?, ?, ?, ?, ?, ${organization.sql},
         ?::jsonb || jsonb_build_object(${links.map(([, { sql }]) => `?::text, ${sql}`).join(', ')})
       from (select 1) as one left join users u on u.id = ?
       returning id
     )
     insert into activity_objects (activity_id, type, object_id, summary)
     select entry.id, o.type, o.object_id, o.summary
     from entry, jsonb_to_recordset(?::jsonb) as o (type text, object_id bigint, summary jsonb)
     on conflict do nothing`,
    [
      operation,
      first!.model.type,
      second?.model.type ?? '',
      relation,
      relation ? first!.model.type : '',
      node,
      ...organization.bindings,
      JSON.stringify(changes.plain),
      ...links.flatMap(([name, { bindings }]) => [name, ...bindings]),
      actor && actor.id > 0 ? actor.id : null,
      JSON.stringify(
        sides.map(({ model, row }) => ({ type: model.type, object_id: row.id, summary: summaryOf(model, row) })),
      ),
    ] as any,
  );
}

/** Whose administrators and auditors see the entry whatever becomes of the object. */
function organizationSql({ model, row }: Side): { sql: string; bindings: unknown[] } {
  if (model.type === 'organization') return { sql: '(select id from organizations where id = ?)', bindings: [row.id] };
  if (row.organization_id != null) return { sql: '?::bigint', bindings: [row.organization_id] };
  if (row.inventory_id != null)
    return { sql: '(select organization_id from inventories where id = ?)', bindings: [row.inventory_id] };
  return { sql: 'null::bigint', bindings: [] };
}

function summaryOf(model: Compiled, row: any): Record<string, unknown> {
  const name = nameColumn(model);
  return {
    id: row.id,
    ...(name ? { [name]: row[name] } : {}),
    ...(model.columns.has('description') ? { description: row.description } : {}),
    ...(model.type === 'user' ? { first_name: row.first_name, last_name: row.last_name } : {}),
    ...(model.type === 'role' ? { role_field: row.role_field } : {}),
    ...(model.type === 'group' ? { inventory_id: row.inventory_id } : {}),
    ...(model.type === 'o_auth2_access_token'
      ? { user_id: row.user_id, application_id: row.application_id, scope: row.scope }
      : {}),
  };
}
