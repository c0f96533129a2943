import type { Figure } from './lib/stats.ts';
import { show } from './lib/stats.ts';

/** Each measure is loaded only when asked for, so that one measure's imports weigh on no other. */
const measures: Record<string, () => Promise<() => Promise<Figure[]>>> = {
  footprint: async () => (await import('./measures/footprint.ts')).footprint,
  start: async () => (await import('./measures/start.ts')).start,
  adhoc: async () => (await import('./measures/adhoc.ts')).adhoc,
  launch: async () => (await import('./measures/launch.ts')).launch,
  parallel: async () => (await import('./measures/parallel.ts')).parallel,
  events: async () => (await import('./measures/events.ts')).events,
  roles: async () => (await import('./measures/roles.ts')).roles,
  hooks: async () => (await import('./measures/hooks.ts')).hooks,
  boot: async () => (await import('./measures/boot.ts')).boot,
  list: async () => (await import('./measures/list.ts')).list,
  audit: async () => (await import('./measures/audit.ts')).audit,
  'host-filter': async () => (await import('./measures/host-filter.ts')).hostFilter,
  api: async () => (await import('./measures/api.ts')).api,
  survey: async () => (await import('./measures/survey.ts')).survey,
  'inventory-update': async () => (await import('./measures/inventory-update.ts')).inventoryUpdate,
  'inventory-script': async () => (await import('./measures/inventory-script.ts')).inventoryScript,
  cleanup: async () => (await import('./measures/cleanup.ts')).cleanup,
  workflow: async () => (await import('./measures/workflow.ts')).workflowMeasure,
  schedules: async () => (await import('./measures/schedules.ts')).schedulesMeasure,
  notify: async () => (await import('./measures/notify.ts')).notify,
  eda: async () => (await import('./plugins/eda.ts')).eda,
  condition: async () => (await import('./plugins/condition.ts')).condition,
  outbound: async () => (await import('./plugins/outbound.ts')).outbound,
  policy: async () => (await import('./plugins/policy.ts')).policy,
  scan: async () => (await import('./plugins/scan.ts')).scan,
  recommendations: async () => (await import('./plugins/recommendations.ts')).recommendationsMeasure,
  drift: async () => (await import('./plugins/drift.ts')).driftMeasure,
  console: async () => (await import('./plugins/console.ts')).consoleMeasure,
};

function print(found: Figure, json: boolean): void {
  const { name, figure, value, unit, reach, ok, detail } = found;
  if (json) console.log(JSON.stringify({ name, figure, value: Number(value.toFixed(4)), unit, reach, ok, detail }));
  else
    console.log(
      `${ok ? 'ok  ' : 'MISS'} ${name}: ${figure}: ${show(value)} ${unit} (reach ${reach})\n       ${detail}`,
    );
}

const json = process.argv.includes('--json');
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const names = asked.includes('all') ? Object.keys(measures) : asked;
const unknown = names.filter((name) => !(name in measures));
if (names.length === 0 || unknown.length > 0) {
  console.error(`usage: npm run bench -- <name> [--json]; names: ${Object.keys(measures).join(', ')}, all`);
  process.exit(2);
}

let missed = 0;
for (const name of names) {
  const measure = await measures[name]?.();
  for (const found of (await measure?.()) ?? []) {
    print(found, json);
    if (!found.ok) missed += 1;
  }
}
process.exitCode = missed === 0 ? 0 : 1;
