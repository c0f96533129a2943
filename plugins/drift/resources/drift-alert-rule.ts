import {
  assertMayNotify,
  assertMembers,
  defineResource,
  field,
  type PluginApi,
  type Resource,
  type Row,
  ValidationError,
  switchActions,
} from '@tapline/plugin-sdk';
import { categories, severities } from '../detect/classify.ts';
import { previewAction } from './preview.ts';

const year = 525_600;

const fields = {
  name: field.string({ required: true }),
  organization: field.ref('organization', { required: true, nullable: false }),
  enabled: field.boolean({ default: true }),
  inventory: field.ref('inventory', {
    help: 'Only hosts that are in this inventory, of whatever kind it is, and in the organization of the rule.',
  }),
  host_filter: field.string({
    default: '*',
    help: 'A shell-style pattern for names of hosts: *, ?, [a-z], [!a-z]. Empty means all.',
  }),
  categories: field.list({ help: `Only drift of these: ${categories.join(', ')}. Empty means all.` }),
  severity_min: field.choice(severities, { default: 'low', ranked: true }),
  threshold_count: field.integer({
    default: 1,
    min: 1,
    max: 1_000_000,
    help: 'It fires at so many changes of one host …',
  }),
  threshold_window_minutes: field.integer({ default: 60, min: 1, max: year, help: '… within so many minutes.' }),
  cooldown_minutes: field.integer({
    default: 60,
    min: 0,
    max: year,
    help: 'Then it is silent about that host for so many minutes.',
  }),
  notification_template: field.ref('notification_template', { required: true, help: 'Where it is told.' }),
  remediation_template: field.ref('job_template', {
    help: 'What `remediate/` of such drift launches where the request names nothing else; nothing is launched by itself.',
  }),
};

/** Read by the members of its organization, changed by those who administer it. */
export function driftAlertRuleResource(api: PluginApi): Resource {
  const organization = (role: string) => api.rules.parent('organization_id', 'organization', role);
  const administers = organization('admin_role');
  return defineResource({
    type: 'drift_alert_rule',
    path: 'drift_alert_rules',
    table: 'alert_rules',
    label: 'Drift alert rule',
    description: 'When drift of a host is worth a message, and who gets it.',
    access: { see: organization('read_role'), create: administers, change: administers, delete: administers },
    orderBy: ['name', 'id'],
    search: ['name'],
    naming: ['name', 'organization'],
    unique: {
      alert_rules_name: {
        field: '__all__',
        message: 'Drift alert rule with this Name and Organization already exists.',
      },
    },
    fields,
    sublists: { drift_alerts: { resource: 'drift_alert', column: 'alert_rule_id' } },
    actions: {
      ...switchActions(api, {
        type: 'drift_alert_rule',
        table: 'alert_rules',
        access: administers,
        enable: 'Switches it on',
        disable: 'Switches it off',
      }),
      preview: previewAction(api, administers),
    },
    async validate(context) {
      const { input, before, sent } = context;
      await check(api, { ...before, ...input } as Row, input as Row, sent);
      await assertMayNotify(api, context);
    },
    async beforeDelete(trx, { id }) {
      await trx(api.table('alerts'))
        .where({ alert_rule_id: id, notification_status: 'pending', notification_id: null })
        .update({ notification_status: 'failed', notification_error: 'The rule was deleted before anybody was told.' });
    },
  });
}

async function check(api: PluginApi, row: Row, input: Row, sent: ReadonlySet<string>): Promise<void> {
  const named = input['categories'];
  if (Array.isArray(named)) assertMembers('categories', named, categories);
  if (sent.has('notification_template') && input['notification_template_id'] === null)
    throw ValidationError.field('notification_template', 'This field may not be null.');
  const { inventory_id: id, organization_id: organization } = row;
  if (id === null || id === undefined) return;
  const inventory = await api
    .db('core_inventories')
    .where({ id: Number(id) })
    .first('organization_id');
  if (inventory?.organization_id !== organization)
    throw ValidationError.field('inventory', 'It belongs to another organization than the rule.');
}
