import { historyTab, listTab, t } from '@tapline/console-kit';
import { AppliesTo } from './applies-to.js';
import { Expires } from './expires.js';
import { ModuleField } from './module-field.js';
import { Backtest } from './backtest.js';
import { Switch } from './switch.js';

export const policyDecision = {
  path: 'policy_decisions',
  type: 'policy_decision',
  one: t`decision`,
  many: t`decisions`,
  intro: t`What policies warned of or denied, newest first. Each has the context that the policy was asked with.`,
  nameField: 'message',
  order: '-id',
  columns: [
    'message',
    'policy_name',
    'decision',
    'waived',
    'shadow',
    'unified_job_template',
    'triggered_by',
    'created',
  ],
  filters: ['decision', 'policy', 'policy_name', 'waived', 'shadow', 'unified_job_template', 'created'],
  relations: { policy: 'policies/', triggered_by: 'users/' },
  facts: ['decision', 'message', 'policy', 'policy_name', 'unified_job', 'unified_job_template', 'created', 'context'],
  readOnly: true,
  parent: () => '/policy_decisions',
};

const named = ['unified_job_template', 'inventory', 'organization'];

export const policyWaiver = {
  path: 'policy_waivers',
  type: 'policy_waiver',
  one: t`waiver`,
  many: t`waivers`,
  intro: t`Denials of policies that do not count for a time, and why.`,
  nameField: 'reason',
  order: '-id',
  columns: ['reason', 'policy', 'scope', ...named, 'owner', 'expires'],
  filters: ['policy', 'scope', 'owner', 'expires', ...named],
  fields: ['policy', 'scope', ...named, 'reason', 'owner', 'expires'],
  relations: {
    policy: 'policies/',
    owner: 'users/',
    unified_job_template: 'unified_job_templates/?type=job_template,workflow_job_template',
  },
  custom: { expires: Expires },
  tabs: [historyTab],
};

export const policy = {
  path: 'policies',
  type: 'policy',
  one: t`policy`,
  many: t`policies`,
  intro: t`What the policy engine is asked about launches before they start.`,
  columns: [
    'name',
    'organization',
    'enforcement',
    'shadow',
    'enabled',
    'last_sync_status',
    'trigger_count',
    'last_triggered_at',
  ],
  filters: ['name', 'organization', 'enforcement', 'enabled', 'shadow', 'last_sync_status'],
  fields: ['name', 'description', 'organization', 'enforcement', 'shadow', 'enabled', 'applies_to', 'rego_module'],
  facts: ['last_sync_status', 'last_sync_error', 'package'],
  custom: { rego_module: ModuleField, applies_to: AppliesTo },
  actions: Switch,
  tabs: [
    listTab({ id: 'decisions', label: t`Decisions`, resource: 'policy_decisions' }),
    listTab({ id: 'waivers', label: t`Waivers`, resource: 'policy_waivers', field: 'policy' }),
    { id: 'backtest', label: t`Past launches`, content: Backtest },
    historyTab,
  ],
};
