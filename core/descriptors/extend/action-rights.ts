import type { Extension, Resource } from '@tapline/plugin-sdk';
import type { Log } from '../../observe/log.ts';
import { actionRules, rightsOn } from '../../rbac/descriptor.ts';
import { safeSummaries } from './extend-safely.ts';

/** What tells of each row which of the actions the caller may do; undefined where none does anything. */
export function actionRights({ table, identity }: Resource, actions: Extension['actions']): Resource['summaries'] {
  const rules = actionRules(actions);
  if (identity || !Object.keys(rules).length) return undefined;
  return async (db, rows, { actor }) => {
    const rights = await rightsOn(db, actor, table, rules, rows);
    return new Map([...rights].map(([id, user_capabilities]) => [id, { user_capabilities }]));
  };
}

/**
 * The same for the actions of a plugin's own resource. Their rules may have been written for rows as reads give them, and
 * ask in SQL for what the table does not have: then no right is told, and the page comes.
 */
export function withActionRights(resource: Resource, plugin: string, log: Pick<Log, 'warn'>): Resource {
  const { type, actions, summaries } = resource;
  const rights = actionRights(resource, actions);
  if (!rights) return resource;
  const failed = (err: unknown) => {
    log.warn({ plugin, err }, `rights to the actions of ${type} are not known; they are left out`);
  };
  return { ...resource, summaries: safeSummaries(summaries, rights, (entries) => entries, failed) };
}
