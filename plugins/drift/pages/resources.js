import { historyTab, listTab, When, t } from '@tapline/console-kit';
import { h } from 'preact';
import { CategoriesField } from './categories-field.js';
import { LastWeek } from './last-week.js';
import { RuleActions } from './rule-actions.js';
import { SnapshotActions } from './snapshot-actions.js';
import { Severity } from './words.js';

export const change = {
  path: 'drift',
  api: 'drift_detections',
  type: 'drift_detection',
  one: t`change`,
  many: t`changes`,
  nameField: 'summary',
  order: '-id',
  columns: [
    'summary',
    'host',
    'category',
    { label: t`Severity`, cell: ({ severity }) => h(Severity, { of: severity }), narrow: true, sort: 'severity' },
    { label: t`Made by`, cell: ({ attribution }) => madeBy(attribution), narrow: true },
    { label: t`Found`, cell: ({ created }) => h(When, { at: created }), narrow: true, sort: 'created' },
    'acknowledged',
  ],
  filters: [
    'host',
    'inventory',
    'category',
    'severity',
    'attribution',
    'acknowledged',
    'created',
    'fact_path',
    'job',
    'remediation_status',
  ],
  relations: { host: 'hosts/', job: 'jobs/' },
  readOnly: true,
};

/** What our runs did is known; what they did not do is somebody else's. */
export const madeBy = (attribution) => (attribution === 'expected' ? t`A run of ours` : t`Somebody else`);

export const rule = {
  path: 'drift/rules',
  api: 'drift_alert_rules',
  type: 'drift_alert_rule',
  one: t`rule`,
  many: t`rules`,
  columns: ['name', 'organization', 'enabled', 'severity_min', 'threshold_count', 'threshold_window_minutes'],
  fields: [
    'name',
    'organization',
    'notification_template',
    'enabled',
    'inventory',
    'host_filter',
    'categories',
    'severity_min',
    'threshold_count',
    'threshold_window_minutes',
    'cooldown_minutes',
    'remediation_template',
  ],
  relations: { remediation_template: 'job_templates/?ask_limit_on_launch=true' },
  custom: { categories: CategoriesField },
  actions: RuleActions,
  tabs: [
    {
      id: 'preview',
      label: t`Last week`,
      content: LastWeek,
      shown: (row) => row.summary_fields.user_capabilities?.edit,
    },
    listTab({ id: 'drift_alerts', label: t`Alerts`, resource: 'drift/alerts' }),
    historyTab,
  ],
};

export const alert = {
  path: 'drift/alerts',
  api: 'drift_alerts',
  type: 'drift_alert',
  one: t`alert`,
  many: t`alerts`,
  nameField: 'summary',
  order: '-id',
  columns: ['summary', 'alert_rule', 'host', 'drift_count', 'notification_status', 'created'],
  filters: ['alert_rule', 'host', 'notification_status', 'created'],
  relations: { alert_rule: 'drift_alert_rules/', host: 'hosts/' },
  facts: ['alert_rule', 'host', 'drift_count', 'notification_status', 'notification_error'],
  readOnly: true,
};

export const snapshot = {
  path: 'drift/snapshots',
  api: 'fact_snapshots',
  type: 'fact_snapshot',
  one: t`snapshot`,
  many: t`snapshots`,
  intro: t`The facts of hosts as jobs found them, kept where they differ from those before.`,
  nameField: 'facts_hash',
  order: '-id',
  columns: ['facts_hash', 'host', 'inventory', 'job', 'captured_at', 'size'],
  filters: ['host', 'inventory', 'job', 'captured_at'],
  relations: { host: 'hosts/', job: 'jobs/' },
  facts: ['host', 'captured_at', 'job', 'facts_hash', 'size'],
  actions: SnapshotActions,
  readOnly: true,
};
