import { type Actor, defineResource, field, type Resource, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { keptMember, organizationKeeper } from '../rbac/people.ts';
import { anyOf, auditor, connection, owner, via } from '../rbac/rules.ts';

const ro = { mode: 'ro' } as const;

/** Types whose details have the list of what was done to them. */
const withStream = new Set([
  'organization',
  'user',
  'team',
  'o_auth2_application',
  'o_auth2_access_token',
  'inventory',
  'host',
  'group',
  'credential_type',
  'credential',
  'project',
  'job_template',
  'job',
  'instance_group',
  'label',
]);

const spanOf = (type: string) => ({
  resource: type,
  through: { table: 'activity_objects', parent: 'activity_id', child: 'object_id', where: { type } },
});

/**
 * These resources with the stream of their changes: the list of all entries, and one below each object.
 * @param added those of plugins, each of which has it
 */
export function withActivityStream(own: readonly Resource[], added: readonly Resource[] = []): Resource[] {
  const resources = [...own, ...added];
  const told = [...own.filter(({ type }) => withStream.has(type)), ...added].filter(
    ({ variants, identity }) => !variants && !identity,
  );
  const listed = told.map(({ type }) => type);
  return [
    ...resources.map((resource) =>
      listed.includes(resource.type)
        ? { ...resource, sublists: { ...resource.sublists, activity_stream: entriesOf(resource.type) } }
        : resource,
    ),
    activityStreamResource(told),
  ];
}

/** What belongs to an object is told below it as well. */
const parts: Record<string, { type: string; table: string; column: string }[]> = {
  inventory: ['host', 'group'].map((type) => ({ type, table: `${type}s`, column: 'inventory_id' })),
};

const entriesOf = (type: string) => ({
  resource: 'activity_stream',
  where: (builder: any, { id }: any, alias: string) =>
    void builder.where((any: any) => {
      any.whereIn(`${alias}.id`, (entries: any) => {
        entries.select('activity_id').from('activity_objects').where({ type, object_id: id });
        for (const part of parts[type] ?? [])
          entries.orWhere((one: any) => {
            one.where('type', part.type).whereIn('object_id', (rows: any) => {
              rows.select('id').from(part.table).where(part.column, id);
            });
          });
      });
      // of people also what they did, and how they logged in
      if (type === 'user') any.orWhere(`${alias}.actor_id`, id).orWhere(`${alias}.subject_id`, id);
    }),
});

const loginOfMember = via('subject_id', 'users', keptMember);

const activityStreamResource = (resources: Resource[]): Resource => {
  const paths = new Map(resources.map(({ type, path }) => [type, path])).set('role', 'roles');
  return defineResource({
    type: 'activity_stream',
    path: 'activity_stream',
    table: 'activity_stream',
    label: 'Activity stream',
    description:
      'Who did what to what, and when: an entry for every change, launch and login, with the values before and after.',
    fields: {
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
    },
    methods: { list: ['GET'], detail: ['GET'] },
    access: {
      see: anyOf(auditor, organizationKeeper(), owner('subject_id'), loginOfMember, ofVisibleObject(resources)),
    },
    orderBy: ['id'],
    search: ['changes'],
    spans: Object.fromEntries(resources.map(({ type }) => [type, spanOf(type)])),
    extraSql: {
      objects: `(select json_agg(json_build_object('type', o.type, 'id', o.object_id, 'summary', o.summary)) from activity_objects o where o.activity_id = {alias}.id)`,
    },
    present: (shown, row) => present(shown, row, paths),
  });
};

function present(shown: Record<string, any>, row: any, paths: Map<string, string>): void {
  delete shown.actor;
  if (row.actor_names?.username !== undefined && row.actor_names.username !== null)
    shown.summary_fields.actor = { id: row.actor_id, ...row.actor_names, ...shown.summary_fields.actor };
  for (const { type, id, summary } of row.objects ?? []) {
    const path = paths.get(type);
    // settings have no numbers: their page is the category's
    if (type === 'setting') shown.related.setting = `/api/v2/settings/${summary.category}/`;
    if (path) (shown.related[type] ??= []).push(`/api/v2/${path}/${id}/`);
    (shown.summary_fields[type] ??= []).push(summary);
  }
}

/** The entry is about something that the caller sees. */
function ofVisibleObject(resources: Resource[]): Rule {
  const query = (actor: Actor | null, builder: any, alias: string) =>
    void builder.whereExists((objects: any) => {
      objects
        .select(objects.client.raw('1'))
        .from(`activity_objects as ${alias}_o`)
        .whereRaw('??.activity_id = ??.id', [`${alias}_o`, alias])
        .where((any: any) => {
          for (const resource of resources) any.orWhere((one: any) => visible(one, resource, actor, `${alias}_o`));
        });
    });
  return {
    name: 'about a visible object',
    query,
    async row(actor, { id }, db) {
      const found = (connection(db, 'activity') as Knex).from('activity_stream as t').where('t.id', id).limit(1);
      query(actor, found, 't');
      return (await found.select('t.id')).length > 0;
    },
  };
}

function visible(builder: any, { type, table, where, access }: Resource, actor: Actor | null, objects: string): void {
  builder.where(`${objects}.type`, type).whereIn(`${objects}.object_id`, (rows: any) => {
    const alias = `${objects}_r`;
    rows.select(`${alias}.id`).from(`${table} as ${alias}`);
    for (const [column, value] of Object.entries(where ?? {})) rows.where(`${alias}.${column}`, value);
    access.see.query(actor, rows, alias);
  });
}
