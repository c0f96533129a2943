import type { Actor, Knex, PluginApi } from '@tapline/plugin-sdk';
import type { RuleAction } from './rule.ts';

/** What an action names: what it is called, or why nothing can come of it. */
export type Target = { name: string } | { problem: string };

const launched = {
  launch_job_template: { type: 'job_template', what: 'job template' },
  launch_workflow: { type: 'workflow_job_template', what: 'workflow job template' },
} as const;

/** Whether somebody may do what the action says. Who may not see what it names is told the same as where there is no such thing. */
export async function targetOf(
  { rules }: Pick<PluginApi, 'rules'>,
  db: Knex,
  { action_type: type, target_id: id }: Pick<RuleAction, 'action_type' | 'target_id'>,
  actor: Actor | null,
): Promise<Target> {
  if (type === 'send_notification') {
    const template = await db('notification_templates').where({ id }).first('id', 'name', 'organization_id');
    const rule = rules.parent('organization_id', 'organization', 'notification_admin_role');
    return template && (await rule.row(actor, template, db))
      ? { name: template.name }
      : { problem: `There is no notification template ${id} that ${whoOf(actor)} may send by.` };
  }
  const { type: kind, what } = launched[type];
  const template = await db('core_templates').where({ id, kind }).first('id', 'name');
  return template && (await rules.role(kind, 'execute_role').row(actor, { ...template }, db))
    ? { name: template.name }
    : { problem: `There is no ${what} ${id} that ${whoOf(actor)} may start.` };
}

const whoOf = (actor: Actor | null): string => (actor ? actor.username : 'nobody');

/** The user whose rights a rule uses, as far as there still is one. */
export async function authorityOf({ db }: Pick<PluginApi, 'db'>, id: number | null): Promise<Actor | undefined> {
  const user = id === null ? undefined : await db('core_users').where({ id, is_active: true }).first();
  if (!user) return undefined;
  const { username, is_superuser, is_system_auditor } = user;
  return { id: user.id, username, is_superuser, is_system_auditor, read_only: false, via: 'system' };
}
