import { defineResource, field, parameter, type PluginApi, type Resource } from '@tapline/plugin-sdk';
import type { DriftAccess } from '../access.ts';
import { categories, severities } from '../detect/classify.ts';
import { remediateAction } from '../remediate/action.ts';
import { outcomes } from '../remediate/outcome.ts';
import { acknowledgeAction, acknowledgeAllAction } from './acknowledge.ts';
import { breakdownAction } from './breakdown.ts';
import { compareAction } from './compare.ts';
import { exportAction, driftCsv } from './export.ts';
import { summaryAction } from './summary.ts';

const ro = { mode: 'ro' } as const;

const detail = field.json({
  ...ro,
  filterable: false,
  shortInLists: true,
  help: 'The whole fact before and after (null on the side where it is missing), diff_type, and paths: up to 200 changes within it.',
});

export const driftDetectionResource = (api: PluginApi, access: DriftAccess): Resource =>
  defineResource({
    type: 'drift_detection',
    path: 'drift_detections',
    table: 'detections',
    label: 'Drift detection',
    description: 'One top-level fact that changed between two consecutive snapshots of a host.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see: access.see },
    rights: { acknowledge: access.acknowledge },
    capabilities: { acknowledge: 'acknowledge' },
    orderBy: ['-id'],
    search: ['summary', 'fact_path'],
    fields: {
      host: field.ref('host', { ...ro, nullable: false }),
      inventory: field.ref('inventory', { ...ro, nullable: false }),
      organization: field.ref('organization', ro),
      snapshot_before: field.ref('fact_snapshot', { ...ro, help: 'The state before; empty once it was cleaned up.' }),
      snapshot_after: field.ref('fact_snapshot', { ...ro, help: 'The new state; empty once it was cleaned up.' }),
      job: field.ref('job', { ...ro, help: 'The job that found the change.' }),
      category: field.choice(categories, ro),
      severity: field.choice(severities, { ...ro, ranked: true }),
      fact_path: field.string({ ...ro, help: 'The top-level fact.' }),
      diff_type: field.choice(['added', 'removed', 'changed'], ro),
      attribution: field.choice(['expected', 'out_of_band'], {
        ...ro,
        help: 'expected: one of our runs may have changed something on the host between the two snapshots. out_of_band: none did.',
      }),
      summary: field.text(ro),
      detail,
      acknowledged: field.boolean(ro),
      acknowledged_by: field.ref('user', ro),
      acknowledged_at: field.datetime({ ...ro, nullable: true }),
      remediation_job: field.ref('unified_job', { ...ro, help: 'The newest run that was launched to put it right.' }),
      remediation_status: field.choice(outcomes, { ...ro, help: 'How that ended; launched: it has not yet.' }),
    },
    parameters: parameter.between('created'),
    formats: { csv: driftCsv },
    actions: { acknowledge: acknowledgeAction(api, access), remediate: remediateAction(api) },
    listActions: {
      acknowledge: acknowledgeAllAction(api, access),
      breakdown: breakdownAction(api),
      compare: compareAction(api),
      export: exportAction,
      summary: summaryAction,
    },
  });
