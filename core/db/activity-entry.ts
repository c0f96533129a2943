import type { Knex } from 'knex';
import { requestContext } from './current-request.ts';
import { safeJson } from './safe-text.ts';

export interface ActivityEntry {
  operation: string;
  /** the type of what it was done to */
  object: string;
  /** the type of what that was linked to, and by which relation */
  object2?: string;
  relation?: string;
  node: string;
  /** who did it; who is no user of the database, such as the service itself, is left out */
  user: number | null;
  /** the user whom it concerns, where that is not who did it, such as after a failed login */
  subject?: number | null;
  /** one that is gone by now is left out */
  organization: number | null;
  changes: Record<string, unknown>;
  /** what the entry is about: whoever sees one of them sees the entry */
  about: readonly { type: string; object_id: number; summary: Record<string, unknown> }[];
  /** what the audit log calls it, where that is not the operation: `login`; `changes` are its details then */
  action?: string;
  /** false: for the audit log alone */
  told?: boolean;
  /** who it was by name, where that is no user */
  who?: string;
  ip?: string;
  request_id?: string;
}

/** Values of an update are `[before, after]`; whatever is not is told besides. */
const pairs = `
  select jsonb_object_agg(key, value -> 0) filter (where pair) as before, jsonb_object_agg(key, value -> 1) filter (where pair) as after,
    jsonb_object_agg(key, value) filter (where not pair) as rest
  from (select key, value, case jsonb_typeof(value) when 'array' then jsonb_array_length(value) = 2 else false end as pair
        from jsonb_each(case e.operation when 'update' then e.changes end)) c`;

const plain = `(e.action is null or e.action = 'launch')`;

/**
 * The queries that write into the activity stream and the audit log; nothing else does. They begin with `entry`.
 *
 * @param source a select of entries as JSON documents: what has to be looked up for them is put in there
 */
export const activityEntryQueries = (source: string): string => `
  entry as materialized (
    select nextval('activity_stream_id_seq') as id, e.*
    from (${source}) as source (document), jsonb_to_record(source.document) as e (operation text, object text, object2 text,
      relation text, node text, "user" bigint, subject bigint, organization bigint, changes jsonb, about jsonb, action text, told boolean,
      who text, ip text, request_id text)
  ), entry_stored as (
    insert into activity_stream (id, operation, actor_id, actor_names, subject_id, object1, object2, object_association, object_type,
      action_node, organization_id, changes) overriding system value
    select e.id, e.operation, u.id, json_build_object('username', u.username, 'first_name', u.first_name, 'last_name', u.last_name),
      s.id, e.object, coalesce(e.object2, ''), coalesce(e.relation, ''), case when e.relation <> '' then e.object else '' end,
      e.node, o.id, e.changes
    from entry e left join users u on u.id = e."user" left join users s on s.id = e.subject
      left join organizations o on o.id = e.organization
    where e.told is not false
  ), entry_about as (
    insert into activity_objects (activity_id, type, object_id, summary)
    select e.id, a.type, a.object_id, a.summary
    from entry e, jsonb_to_recordset(e.about) as a (type text, object_id bigint, summary jsonb)
    where e.told is not false
    on conflict do nothing
  ), audited as (
    insert into audit_events (action, actor_id, actor_name, ip, request_id, node, organization_id, object_type, object_id, object_name,
      before, after, details)
    select coalesce(e.action, e.operation), u.id, coalesce(u.username, e.who, ''), coalesce(e.ip, ''), coalesce(e.request_id, ''), e.node,
      e.organization, e.object, (e.about #>> '{0,object_id}')::bigint,
      coalesce(e.about #>> '{0,summary,name}', e.about #>> '{0,summary,username}', e.about #>> '{0,summary,hostname}', ''),
      case when ${plain} then case e.operation when 'update' then p.before when 'delete' then e.changes end end,
      case when ${plain} then case e.operation when 'update' then p.after when 'create' then e.changes end end,
      case when not ${plain} or e.operation in ('associate', 'disassociate') then e.changes else p.rest end
    from entry e left join users u on u.id = e."user", lateral (${pairs}) p
    returning id
  ), audited_unsealed as (
    insert into audit_unsealed (event_id) select id from audited
  )`;

/** The same as a statement. */
export const activityEntrySql = (source: string): string => `with ${activityEntryQueries(source)} select 1`;

/** In the transaction of what they tell of. */
export async function insertActivityEntries(db: Knex, entries: readonly ActivityEntry[]): Promise<void> {
  const from = requestContext();
  await db.raw(activityEntrySql('select jsonb_array_elements(?::jsonb)'), [
    safeJson(entries.map((entry) => ({ ...from, ...entry }))),
  ]);
}
