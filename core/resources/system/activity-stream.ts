import {
  type Actor,
  type Builder,
  defineResource,
  field,
  format,
  type Resource,
  type Row,
  type Rule,
  type Shown,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { keptMember, organizationKeeper } from '../../rbac/people.ts';
import { anyOf, auditor, connection, owner, via } from '../../rbac/rules.ts';
import type { Visible } from '../../runs/access.ts';

const ro = { mode: 'ro' } as const;

const spanOf = (type: string) => ({
  resource: type,
  through: { table: 'activity_objects', parent: 'activity_id', child: 'object_id', where: { type } },
});

/**
 * These resources with the stream of their changes: the list of all entries, and one below each object.
 * @param added those of plugins, each of which has it
 */
export function withActivityStream(
  own: readonly Resource[],
  { added = [], visible }: { added?: readonly Resource[]; visible: Visible },
): Resource[] {
  const resources = [...own, ...added];
  const told = [...own.filter(({ stream }) => stream), ...added].filter(
    ({ variants, identity }) => !variants && !identity,
  );
  const tables = new Map(resources.map(({ type, table }) => [type, table]));
  return [
    ...resources.map((resource) =>
      told.includes(resource)
        ? { ...resource, sublists: { ...resource.sublists, activity_stream: entriesOf(resource, tables) } }
        : resource,
    ),
    activityStreamResource(told, visible),
  ];
}

/** What belongs to an object is told below it as well. */
const entriesOf = ({ type, stream }: Resource, tables: ReadonlyMap<string, string>) => ({
  resource: 'activity_stream',
  where: (builder: Builder, { id }: Row, alias: string) =>
    void builder.where((any) => {
      any.whereIn(`${alias}.id`, (entries) => {
        entries.select('activity_id').from('activity_objects').where({ type, object_id: id });
        for (const [part, column] of Object.entries(typeof stream === 'object' ? stream.parts : {}))
          entries.orWhere((one) => {
            one.where('type', part).whereIn('object_id', (rows) => {
              rows.select('id').from(tables.get(part)!).where(column, id);
            });
          });
      });
      // of people also what they did, and how they logged in
      if (type === 'user') any.orWhere(`${alias}.actor_id`, id).orWhere(`${alias}.subject_id`, id);
    }),
});

const loginOfMember = via('subject_id', 'users', keptMember);

const fields = {
  timestamp: field.datetime(ro),
  operation: field.choice(
    [
      ['create', 'Entity Created'],
      ['update', 'Entity Updated'],
      ['delete', 'Entity Deleted'],
      ['associate', 'Entity Associated with another Entity'],
      ['disassociate', 'Entity was Disassociated with another Entity'],
    ],
    { ...ro, help: 'What was done.' },
  ),
  changes: field.json({ ...ro, help: 'The new values of what was made, old and new ones of what was changed.' }),
  object1: field.string({ ...ro, help: 'The type of what it was done to.' }),
  object2: field.string({ ...ro, help: 'The type of what was linked or unlinked.' }),
  object_association: field.string({ ...ro, filterable: false, apiType: 'field', help: 'The relation.' }),
  object_type: field.string({
    ...ro,
    filterable: false,
    apiType: 'field',
    help: 'The type that owns the relation.',
  }),
  action_node: field.string({ ...ro, help: 'The node that did it.' }),
  actor: field.ref('user', { ...ro, optional: true }),
};

/** Of an entry as lists show it: who and to what by name, too. */
const exported = {
  id: 'id',
  timestamp: 'timestamp',
  operation: 'operation',
  actor: 'summary_fields.actor.id',
  actor_name: 'summary_fields.actor.username',
  object1: 'object1',
  object1_name: (row: Shown) => nameOf(row, 'object1'),
  object2: 'object2',
  object2_name: (row: Shown) => nameOf(row, 'object2'),
  object_association: 'object_association',
  changes: 'changes',
  action_node: 'action_node',
};

function nameOf(row: Shown, key: 'object1' | 'object2'): unknown {
  const { object1, summary_fields: summaries } = row;
  const type = row[key];
  const objects = (summaries[String(type)] ?? []) as { name?: unknown; username?: unknown; hostname?: unknown }[];
  // a group within a group: both stand in one list
  const found = objects[key === 'object2' && object1 === type ? 1 : 0];
  return found?.name ?? found?.username ?? found?.hostname ?? null;
}

const activityStreamResource = (resources: Resource[], visible: Visible): Resource => {
  const paths = new Map(resources.map(({ type, path }) => [type, path])).set('role', 'roles');
  return defineResource({
    type: 'activity_stream',
    path: 'activity_stream',
    table: 'activity_stream',
    label: 'Activity stream',
    description:
      'Who did what to what, and when: an entry for every change, launch and login, with the values before and after.',
    fields,
    methods: { list: ['GET'], detail: ['GET'] },
    access: {
      see: anyOf(
        auditor,
        organizationKeeper(),
        owner('subject_id'),
        loginOfMember,
        ofVisibleObject(resources, visible),
      ),
    },
    orderBy: ['id'],
    search: ['changes'],
    formats: { csv: format.csv({ columns: exported }) },
    spans: Object.fromEntries(resources.map(({ type }) => [type, spanOf(type)])),
    extraSql: {
      objects: `(select json_agg(json_build_object('type', o.type, 'id', o.object_id, 'summary', o.summary)) from activity_objects o where o.activity_id = {alias}.id)`,
    },
    present: (shown, row: Row) => present(shown, row as Entry, paths),
  });
};

interface Entry extends Row {
  actor_id: number | null;
  actor_names: { username?: string | null } | null;
  objects: { type: string; id: number; summary: Record<string, unknown> }[] | null;
}

function present(shown: Shown, row: Entry, paths: Map<string, string>): void {
  delete shown.actor;
  const { related, summary_fields: summaries } = shown;
  if (row.actor_names?.username !== undefined && row.actor_names.username !== null)
    summaries.actor = { id: row.actor_id, ...row.actor_names, ...(summaries.actor as object | undefined) };
  for (const { type, id, summary } of row.objects ?? []) {
    const path = paths.get(type);
    // settings have no numbers: their page is the category's
    if (type === 'setting') related.setting = `/api/v2/settings/${summary.category}/`;
    if (path) add(related, type, `/api/v2/${path}/${id}/`);
    add(summaries, type, summary);
  }
}

const add = (lists: Record<string, unknown>, type: string, item: unknown): void =>
  void ((lists[type] ??= []) as unknown[]).push(item);

/** The entry is about something that the caller sees. */
function ofVisibleObject(resources: Resource[], visible: Visible): Rule {
  const query = (actor: Actor | null, builder: Builder, alias: string) =>
    void builder.whereExists((objects) => {
      objects
        .select(objects.client.raw('1'))
        .from(`activity_objects as ${alias}_o`)
        .whereRaw('??.activity_id = ??.id', [`${alias}_o`, alias])
        .where((any) => {
          for (const resource of resources)
            any.orWhere((one) => visibleObject(one, resource, { actor, see: visible(resource.type) }, `${alias}_o`));
        });
    });
  return {
    name: 'about a visible object',
    query,
    async row(actor, { id }, db) {
      const found = (connection(db, 'activity') as Knex)
        .from('activity_stream as t')
        .where('t.id', Number(id))
        .limit(1);
      query(actor, found, 't');
      return (await found.select('t.id')).length > 0;
    },
  };
}

interface Seeing {
  actor: Actor | null;
  see: Rule;
}

function visibleObject(
  builder: Builder,
  { type, table, where }: Resource,
  { actor, see }: Seeing,
  objects: string,
): void {
  builder.where(`${objects}.type`, type).whereIn(`${objects}.object_id`, (rows) => {
    const alias = `${objects}_r`;
    rows.select(`${alias}.id`).from(`${table} as ${alias}`);
    for (const [column, value] of Object.entries(where ?? {})) rows.where(`${alias}.${column}`, value);
    see.query(actor, rows, alias);
  });
}
