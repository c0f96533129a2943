import type { AuditRecord, AuditService } from '@tapline/plugin-sdk';
import { type ActivityEntry, insertActivityEntries } from '../../db/activity-entry.ts';
import type { CoreServices } from './core-services.ts';

const operations = ['create', 'update', 'delete', 'associate', 'disassociate'];

/**
 * Entries of a plugin in the audit log, the service's log and the activity stream. An action that is none of the stream's own
 * operations is told in `changes.action` of an update.
 */
export function auditFor(core: Pick<CoreServices, 'db' | 'log' | 'settings' | 'config'>, plugin: string): AuditService {
  const entryOf = ({ action, actor, object, organization = null, changes = {} }: AuditRecord): ActivityEntry => {
    const user = actor && actor.id > 0 ? actor.id : null;
    const entry = { audit: true, plugin, action, user_id: user, username: actor?.username, object };
    core.log.info(entry, `${plugin}: ${action}`);
    const known = operations.includes(action);
    return {
      operation: known ? action : 'update',
      ...(known ? {} : { action: `${plugin}.${action}` }),
      told: core.settings.get('ACTIVITY_STREAM_ENABLED'),
      ...(actor && { who: actor.username }),
      object: object?.type ?? plugin,
      node: core.config.nodeName,
      user,
      organization,
      changes: known ? changes : { action, ...changes },
      about: object ? [{ type: object.type, object_id: object.id, summary: { id: object.id, name: object.name } }] : [],
    };
  };
  return {
    record: async ({ trx, ...entry }) => insertActivityEntries(trx ?? core.db, [entryOf(entry)]),
    async recordAll(trx, entries) {
      if (entries.length) await insertActivityEntries(trx, entries.map(entryOf));
    },
  };
}
