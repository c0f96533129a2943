import type { PluginApi } from '@tapline/plugin-sdk';
import { severities } from './detect/classify.ts';

const category = 'drift';
const days = { category, type: 'integer', min: 0, max: 36_500, unit: 'days' } as const;

export function defineSettings(api: PluginApi): void {
  api.settings.define({
    ...days,
    key: 'FACT_SNAPSHOT_RETENTION_DAYS',
    default: 90,
    help: 'Older snapshots of facts are deleted each night, but for the newest of each host and those of drift that nobody acknowledged; 0 keeps all.',
  });
  api.settings.define({
    ...days,
    key: 'DRIFT_RETENTION_DAYS',
    default: 0,
    help: 'Older drift that somebody acknowledged, and older alerts, are deleted each night, when no rule looks back on them any more; 0 keeps all.',
  });
  api.settings.define({
    key: 'DRIFT_IGNORED_FACTS',
    category,
    type: 'list',
    default: [],
    help: 'Top-level facts that never are drift, besides those that change by themselves; the prefix of the engine may be left out: ["memfree_mb", "ansible_loadavg"].',
    check: (keys) => (keys.every((key) => typeof key === 'string') ? undefined : 'Enter a list of names of facts.'),
  });
  api.settings.define({
    key: 'DRIFT_SEVERITIES',
    category,
    type: 'map',
    default: {},
    help: 'Severities of drift by top-level fact, in place of those of its category: {"ansible_hostname": "high"}.',
    check: (map) =>
      Object.values(map).every((value) => (severities as readonly string[]).includes(value))
        ? undefined
        : `Severities are ${severities.join(', ')}.`,
  });
  api.settings.define({
    key: 'DRIFT_ALERT_GROUP_SECONDS',
    category,
    type: 'integer',
    default: 30,
    min: 0,
    max: 3600,
    unit: 'seconds',
    help: 'How long alerts of one rule are gathered until one notification tells of them all.',
  });
}
