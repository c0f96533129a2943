import type { AuditService } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Services } from '../app/container.ts';

const operations = ['create', 'update', 'delete', 'associate', 'disassociate'];

/**
 * Entries of a plugin in the audit trail (the log) and the activity stream. An action that is none of the stream's own
 * operations is told in `changes.action` of an update.
 */
export function auditFor(core: Pick<Services, 'db' | 'log' | 'settings' | 'config'>, plugin: string): AuditService {
  return {
    async record({ action, actor, object, organization = null, changes = {}, trx }) {
      const user = actor && actor.id > 0 ? actor.id : null;
      const entry = { audit: true, plugin, action, user_id: user, username: actor?.username, object };
      core.log.info(entry, `${plugin}: ${action}`);
      if (!core.settings.get('ACTIVITY_STREAM_ENABLED')) return;
      const known = operations.includes(action);
      await insert(trx ?? core.db, [
        known ? action : 'update',
        object?.type ?? plugin,
        core.config.nodeName,
        organization,
        JSON.stringify(known ? changes : { action, ...changes }),
        user,
        JSON.stringify(
          object ? [{ type: object.type, object_id: object.id, summary: { id: object.id, name: object.name } }] : [],
        ),
      ]);
    },
  };
}

const insert = (db: Knex, values: unknown[]) =>
  db.raw(
    `with entry as (
       insert into activity_stream (operation, actor_id, actor_names, object1, action_node, organization_id, changes)
       select ?, u.id, json_build_object('username', u.username, 'first_name', u.first_name, 'last_name', u.last_name), ?, ?, ?::bigint, ?::jsonb
       from (select 1) as one left join users u on u.id = ?
       returning id
     )
     insert into activity_objects (activity_id, type, object_id, summary)
     select entry.id, o.type, o.object_id, o.summary
     from entry, jsonb_to_recordset(?::jsonb) as o (type text, object_id bigint, summary jsonb)`,
    values as any,
  );
