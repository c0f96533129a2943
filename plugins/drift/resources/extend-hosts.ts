import { type Action, authenticated, field, notFound, type PluginApi } from '@tapline/plugin-sdk';
import type { Aside } from '../capture/aside.ts';
import { compareSchema } from './compare-schema.ts';
import { compareSnapshots } from './compare-snapshots.ts';
import { outliersAction } from './outliers.ts';
import { timelineAction } from './timeline.ts';

const baseline = (of: string) =>
  field.ref('fact_snapshot', { help: `The snapshot that ${of} should be like; it is kept while it stands here.` });

/** What hosts and groups have besides: their drift, a snapshot that is pinned, and how they differ from it or from each other. */
export function extendHosts(api: PluginApi, aside: Aside): void {
  api.extend('host', {
    table: 'host_baselines',
    fields: {
      drift_baseline: baseline('the host'),
      drift_capture_error: field.text({
        mode: 'ro',
        sql: `coalesce((select w.capture_error from ${api.table('watched_hosts')} w where w.host_id = {alias}.id), '')`,
        help: 'Why facts that runs found on it were left out when they were last captured; empty where none were.',
      }),
    },
    sublists: {
      drift: { resource: 'drift_detection', column: 'host_id' },
      fact_snapshots: { resource: 'fact_snapshot', column: 'host_id' },
    },
    actions: { baseline_drift: baselineAction(api), timeline: timelineAction(api) },
  });
  api.extend('group', {
    table: 'group_baselines',
    fields: { drift_baseline: baseline('hosts of the group that have none of their own') },
    actions: { drift_outliers: outliersAction(api, aside) },
  });
}

/** `hosts/N/baseline_drift/`: the newest snapshot against the pinned one, the host's own or that of the nearest group it is in. */
const baselineAction = (api: PluginApi): Action => ({
  access: { GET: authenticated },
  summary: 'What differs between the pinned snapshot, of the host or of its group, and the newest one',
  answers: { GET: { schema: compareSchema } },
  async handler({ visible }, { id }) {
    const { rows } = await api.db.raw(
      `with recursive above (id, height) as (
         select group_id, 0 from core_group_hosts where host_id = :id
         union select c.parent_id, a.height + 1 from core_group_children c join above a on c.child_id = a.id
       )
       select coalesce((select drift_baseline_id from ${api.table('host_baselines')} where host_id = :id),
         (select b.drift_baseline_id from ${api.table('group_baselines')} b join above a on a.id = b.group_id
          join core_groups g on g.id = b.group_id where b.drift_baseline_id is not null
          order by a.height, g.name, g.id limit 1)) as pinned,
         (select max(id) from ${api.table('snapshots')} where host_id = :id) as newest`,
      { id },
    );
    const { pinned, newest } = rows[0];
    if (pinned === null || newest === null)
      throw notFound(
        pinned === null ? 'Neither the host nor a group of it has a baseline.' : 'The host has no snapshot.',
      );
    // a group's may be of a host that the caller does not see
    if (!(await visible('fact_snapshot', [Number(pinned)])).size) throw notFound('The baseline cannot be read.');
    return { status: 200, body: await compareSnapshots(api, [Number(pinned), Number(newest)]) };
  },
});
