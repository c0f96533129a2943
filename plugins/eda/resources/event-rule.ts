import { defineResource, field, type PluginApi, type Resource, switchActions } from '@tapline/plugin-sdk';
import { accessOf } from '../access.ts';
import { eventDecoder } from '../decoders/decoder.ts';
import { backtestAction } from './backtest-action.ts';
import { checkRule, tryExpressions } from './check-rule.ts';
import { draftActions } from './draft-actions.ts';
import { keyAction } from './key-action.ts';
import { tryAction } from './try-action.ts';

const help = {
  conditions:
    'A list of { jinja2_expression, description }: expressions over event, the payload, and headers. All must hold; none always does.',
  actions:
    'A list of { action_type, target_id, extra_vars, description }, done in this order with the rights of whoever wrote it.',
  key: 'What its senders sign with; one is made where none is given. Only webhook_key/ shows it.',
  group: 'An expression over event and headers: throttle_seconds counts for each of its values apart.',
};

/** Managed by administrators of its organization (specification, EventRule). */
export function eventRuleResource(api: PluginApi): Resource {
  const { manage, see } = accessOf(api);
  return defineResource({
    type: 'event_rule',
    path: 'event_rules',
    table: 'event_rules',
    label: 'Event rule',
    description: 'What is done when an event comes in that was signed with its key.',
    access: { see, create: manage, change: manage, delete: manage },
    orderBy: ['name', 'id'],
    search: ['name', 'description', 'webhook_path'],
    naming: ['name', 'organization'],
    unique: {
      event_rules_name: { field: '__all__', message: 'Event rule with this Name and Organization already exists.' },
      event_rules_path: { field: 'webhook_path', message: 'Event rule with this webhook path already exists.' },
    },
    fields: fieldsOf(api),
    sublists: { event_logs: { resource: 'event_log', column: 'event_rule_id', orderBy: ['-id'] } },
    actions: {
      webhook_key: keyAction(api, manage),
      test: tryAction(api, manage),
      backtest: backtestAction(api, { manage, see }),
      ...switchActions(api, {
        type: 'event_rule',
        table: 'event_rules',
        access: manage,
        enable: 'Switch it on',
        disable: 'Switch it off: its events are answered and ignored',
      }),
    },
    listActions: draftActions(api, { manage, see }),
    beforeWrite: (context) => tryExpressions(api, context as never),
    validate: (context) => checkRule(api, context as never),
  });
}

const baseOf = ({ settings }: Pick<PluginApi, 'settings'>): string => {
  const base = settings.get('TOWER_URL_BASE', '');
  return base.endsWith('/') ? base.slice(0, -1) : base;
};

const fieldsOf = (api: PluginApi) => ({
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { required: true, nullable: false }),
  enabled: field.boolean({ default: true }),
  source_type: field.string({
    required: true,
    apiType: 'choice',
    offers: () => api.use(eventDecoder).map(({ source_type: type }) => type),
    help: 'Who sends: it says how events are signed, named and identified.',
  }),
  webhook_path: field.string({
    required: true,
    help: 'The last part of the address that senders send to; it stays.',
  }),
  webhook_key: field.string({ mode: 'wo', secret: true, max: 255, help: help.key }),
  conditions: field.list({ filterable: false, help: help.conditions }),
  actions: field.list({ filterable: false, help: help.actions }),
  actions_by: field.ref('user', {
    mode: 'ro',
    help: 'Who last changed the actions: launches use the rights of this user.',
  }),
  throttle_seconds: field.integer({
    min: 0,
    max: 31_536_000,
    help: 'It fires once in so many seconds; 0 = no limit.',
  }),
  group_by: field.string({ max: 1024, help: help.group }),
  duplicate_response: field.choice(
    [
      ['', 'As the setting EDA_DUPLICATE_RESPONSE says'],
      ['reject', '409'],
      ['ack', '202'],
    ],
    { default: '', help: 'What the sender of an event that came before is told.' },
  ),
  last_fired_at: field.datetime({ mode: 'ro', nullable: true }),
  fire_count: field.integer({ mode: 'ro' }),
  webhook_url: field.computed({
    apiType: 'string',
    help: 'The address that senders send to.',
    compute: ({ webhook_path: path }) => `${baseOf(api)}/api/v2/eda_webhooks/${String(path)}/`,
  }),
});
