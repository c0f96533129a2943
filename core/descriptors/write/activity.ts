import type { Call, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { activityEntrySql } from '../../db/activity-entry.ts';
import { requestContext } from '../../db/current-request.ts';
import { safeJson } from '../../db/safe-text.ts';
import type { Compiled, Catalog } from '../compile.ts';
import { type Changes, changesBetween, changesOf, nameColumn } from './activity-changes.ts';

/** One end of an entry. */
interface Side {
  model: Compiled;
  row: Row;
}

/** Writes who did what into the activity stream and the audit log, each entry by one statement in the transaction of the write itself. */
export interface Activity {
  created: (trx: Knex, catalog: Catalog, call: Call, object: Side) => Promise<void>;
  updated: (
    trx: Knex,
    catalog: Catalog,
    call: Call,
    object: Side & { before: Row; more?: Record<string, unknown> | undefined },
  ) => Promise<void>;
  /** before the row goes, while its links can still be named */
  deleted: (
    trx: Knex,
    catalog: Catalog,
    call: Call,
    object: Side & { more?: Record<string, unknown> },
  ) => Promise<void>;
  /** rows of one write that were made together, or are to go together: all in one statement */
  together: (
    trx: Knex,
    catalog: Catalog,
    call: Call,
    operation: 'create' | 'delete',
    objects: readonly Side[],
  ) => Promise<void>;
  linked: (
    trx: Knex,
    catalog: Catalog,
    call: Call,
    link: { operation: 'associate' | 'disassociate'; relation: string; parent: Side; child: Side },
  ) => Promise<void>;
  /** What somebody may not do, for the audit log alone; `type` names what it was tried on where there is no row. */
  denied: (
    db: Knex,
    call: Pick<Call, 'actor'>,
    on: { type: string; object?: Side | undefined },
    details: object,
  ) => Promise<void>;
}

interface Deps {
  settings: { get: (key: 'ACTIVITY_STREAM_ENABLED') => unknown };
  /** name of this node */
  node: string;
}

interface Entry {
  operation: string;
  /** what the audit log calls it, where that is not the operation */
  action?: string;
  /** the type of the first side, or what stands for it where there is none */
  object?: string;
  sides: Side[];
  relation?: string;
  changes: Changes;
}

export function createActivity({ settings, node }: Deps): Activity {
  const record = async (trx: Knex, call: Call, entry: Entry) => {
    const { type, resource } = entry.sides[0]!.model;
    // entries of entries would never end
    if (type !== 'activity_stream' && resource.stream !== false) await insertEntries(trx, call, [entry], writing());
  };
  const writing = () => ({ node, told: settings.get('ACTIVITY_STREAM_ENABLED') !== false });
  return {
    async created(trx, { models }, call, side) {
      await record(trx, call, { operation: 'create', sides: [side], changes: changesOf(models, side.model, side.row) });
    },
    async updated(trx, { models }, call, { before, more, ...side }) {
      const between = changesBetween(models, side.model, before, side.row);
      const changes = more ? { plain: { ...between?.plain, ...more }, links: between?.links ?? {} } : between;
      if (changes) await record(trx, call, { operation: 'update', sides: [side], changes });
    },
    async deleted(trx, { models }, call, { more, ...side }) {
      const { plain, links } = changesOf(models, side.model, side.row);
      await record(trx, call, { operation: 'delete', sides: [side], changes: { plain: { ...plain, ...more }, links } });
    },
    async together(trx, { models }, call, operation, sides) {
      if (!sides.length) return;
      const entries = sides.map((side) => ({
        operation,
        sides: [side],
        changes: changesOf(models, side.model, side.row),
      }));
      await insertEntries(trx, call, entries, writing());
    },
    async linked(trx, _catalog, call, { operation, relation, parent, child }) {
      await record(trx, call, linkEntry(operation, relation, [parent, child]));
    },
    async denied(db, call, { type, object }, details) {
      const changes = { plain: { ...details }, links: {} };
      const sides = object ? [object] : [];
      const entry = { operation: 'update', action: 'denied', object: type, sides, changes };
      await insertEntries(db, call, [entry], { node, told: false });
    },
  };
}

function linkEntry(operation: string, relation: string, sides: [parent: Side, child: Side]): Entry {
  const [parent, child] = sides;
  const plain = {
    object1: parent.model.type,
    object1_pk: parent.row.id,
    object2: child.model.type,
    object2_pk: child.row.id,
    action: operation,
    relationship: relation,
  };
  const ofRole = sides.some(({ model }) => model.type === 'role');
  return { operation, sides, relation: ofRole ? 'role' : relation, changes: { plain, links: {} } };
}

interface Writing {
  node: string;
  /** false: the activity stream is off, and the audit log alone tells of it */
  told: boolean;
}

async function insertEntries(
  trx: Knex,
  call: Pick<Call, 'actor'>,
  entries: readonly Entry[],
  writing: Writing,
): Promise<void> {
  const documents = entries.map((entry) => documentOf(call, entry, writing));
  await trx.raw(
    activityEntrySql(documents.map(({ sql }) => sql).join(' union all ')),
    documents.flatMap(({ bindings }) => bindings),
  );
}

function documentOf(
  { actor }: Pick<Call, 'actor'>,
  entry: Entry,
  writing: Writing,
): { sql: string; bindings: Knex.RawBinding[] } {
  const { operation, action, sides, relation, changes } = entry;
  const [first, second] = sides;
  const links = Object.entries(changes.links);
  const organization = first ? organizationSql(first) : { sql: 'null::bigint', bindings: [] };
  const document = {
    ...requestContext(),
    ...writing,
    operation,
    action,
    object: first?.model.type ?? entry.object,
    object2: second?.model.type,
    relation,
    user: actor?.id ?? null,
    about: sides.map(({ model, row }) => ({ type: model.type, object_id: row.id, summary: summaryOf(model, row) })),
  };
  return {
    sql: `select ?::jsonb || jsonb_build_object('organization', ${organization.sql},
         'changes', ?::jsonb || jsonb_build_object(${links.map(([, { sql }]) => `?::text, ${sql}`).join(', ')}))`,
    bindings: [
      safeJson(document),
      ...organization.bindings,
      safeJson(changes.plain),
      ...links.flatMap(([name, { bindings }]) => [name, ...bindings]),
    ] as Knex.RawBinding[],
  };
}

/** Whose administrators and auditors see the entry whatever becomes of the object. */
function organizationSql({ model, row }: Side): { sql: string; bindings: unknown[] } {
  if (model.type === 'organization') return { sql: '(select id from organizations where id = ?)', bindings: [row.id] };
  if (row.organization_id != null) return { sql: '?::bigint', bindings: [row.organization_id] };
  if (row.inventory_id != null)
    return { sql: '(select organization_id from inventories where id = ?)', bindings: [row.inventory_id] };
  return { sql: 'null::bigint', bindings: [] };
}

function summaryOf(model: Compiled, row: Row): Record<string, unknown> {
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
