import { defineResource, field, parameter, type Resource } from '@tapline/plugin-sdk';
import type { DriftAccess } from '../access.ts';

const ro = { mode: 'ro' } as const;

export const driftAlertResource = ({ see }: DriftAccess): Resource =>
  defineResource({
    type: 'drift_alert',
    path: 'drift_alerts',
    table: 'alerts',
    label: 'Drift alert',
    description: 'A rule fired about a host, and what became of its message. Never changed.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see },
    orderBy: ['-id'],
    search: ['summary'],
    summary: ['id', 'drift_count', 'notification_status'],
    fields: {
      alert_rule: field.ref('drift_alert_rule', { ...ro, help: 'Empty once the rule is gone.' }),
      host: field.ref('host', { ...ro, nullable: false }),
      inventory: field.ref('inventory', { ...ro, nullable: false }),
      drift_count: field.integer(ro),
      summary: field.text(ro),
      notification_status: field.choice(['pending', 'sent', 'failed'], ro),
      notification_error: field.text(ro),
      notification: field.ref('notification', { ...ro, help: 'The message that told of it.' }),
    },
    parameters: parameter.between('created'),
  });
