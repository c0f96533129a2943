import { type Call, forbidden, type PluginApi, type Row, ValidationError } from '@tapline/plugin-sdk';
import { matchesGlob } from '../alerts/glob.ts';
import { inScope, scopeOf } from '../alerts/scope.ts';
import { severities } from '../detect/classify.ts';

const refuse = (why: string) => ValidationError.field('job_template', why);

/** The template that is launched. @throws ApiError 403 where the caller may not: a launch asks about what is brought alone */
export async function templateOf(api: PluginApi, call: Call, detection: Row): Promise<number> {
  const id = await namedTemplate(api, call, detection);
  const template = await api.db('core_templates').where({ id }).first();
  if (!template) throw refuse('There is no such job template.');
  const execute = api.rules.role('job_template', 'execute_role');
  if (!(await execute.row(call.actor, { ...template }, api.db))) throw forbidden();
  return id;
}

/** The one that is asked for, else that of the oldest enabled rule which is about this drift and names one. */
async function namedTemplate(api: PluginApi, call: Call, { id: detection, ...of }: Row): Promise<number> {
  const given = call.body['job_template'] as number | null | undefined;
  if (given) return given;
  const { rows } = await api.db.raw(
    `select r.remediation_template_id as template, r.host_filter, h.name
     from ${api.table('detections')} d join core_hosts h on h.id = d.host_id
     join ${api.table('alert_rules')} r on r.organization_id = d.organization_id
       and ${inScope}
       and (r.categories = '[]' or r.categories @> to_jsonb(d.category))
       and array_position(:severities::text[], d.severity) >= array_position(:severities::text[], r.severity_min)
     where d.id = :detection and r.enabled and r.remediation_template_id is not null order by r.id`,
    { detection, severities: [...severities], ...(await scopeOf(api, api.db, [Number(of['host_id'])])) },
  );
  const found = rows.find((row: Record<string, string>) => matchesGlob(row['host_filter'] || '*', row['name']!));
  if (!found) throw refuse('Name one: no rule about this drift does.');
  return Number(found.template);
}

/** What a launch has to bring so that it works on this host alone. @throws ValidationError where the template lets nobody say so */
export async function promptsFor(call: Call, template: number, host: { name: string; inventory_id: number }) {
  const [shown] = await call.represent('job_template', [template], 'detail');
  if (!shown) throw refuse('There is no such job template.');
  // what a template does not ask for is ignored: it would run on every host
  if (shown['ask_limit_on_launch'] !== true) throw refuse('It does not ask for a limit on launch.');
  const limit = { limit: host.name };
  if (shown['inventory'] === host.inventory_id) return limit;
  if (shown['ask_inventory_on_launch'] !== true) throw refuse('It works on another inventory than that of the host.');
  return { ...limit, inventory: host.inventory_id };
}
