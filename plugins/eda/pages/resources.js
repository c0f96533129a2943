import { historyTab, listTab, t } from '@tapline/console-kit';
import { ActionsField } from './actions-field.js';
import { Replay, Retry, RuleActions } from './buttons.js';
import { ConditionsField } from './conditions-field.js';
import { Way } from './way.js';

export const eventLog = {
  path: 'event_logs',
  type: 'event_log',
  one: t`event`,
  many: t`events`,
  intro: t`What came in, newest first, and what became of it. The list follows what happens.`,
  nameField: 'event_guid',
  order: '-id',
  columns: ['event_guid', 'event_rule_name', 'event_type', 'status', 'created', 'source_ip', 'error'],
  filters: ['status', 'event_rule', 'event_type', 'event_rule_name', 'source_ip', 'created'],
  relations: { event_rule: 'event_rules/' },
  facts: ['status', 'error', 'event_rule', 'event_type', 'created', 'finished'],
  readOnly: true,
  parent: () => '/event_logs',
  actions: Replay,
  listActions: Retry,
  tabs: [{ id: 'way', label: t`What became of it`, content: Way }],
};

export const eventRule = {
  path: 'event_rules',
  type: 'event_rule',
  one: t`event rule`,
  many: t`event rules`,
  intro: t`What is done when a signed webhook comes in.`,
  columns: ['name', 'organization', 'source_type', 'enabled', 'fire_count', 'last_fired_at'],
  fields: [
    'name',
    'description',
    'organization',
    'enabled',
    'source_type',
    'webhook_path',
    'conditions',
    'actions',
    'throttle_seconds',
  ],
  facts: ['webhook_url'],
  custom: { conditions: ConditionsField, actions: ActionsField },
  actions: RuleActions,
  tabs: [listTab({ id: 'event_logs', label: t`Events`, resource: 'event_logs' }), historyTab],
};
