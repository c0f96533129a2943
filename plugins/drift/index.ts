import { definePlugin, type NotificationOutcome, type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { driftAccess } from './access.ts';
import { judgeHosts, type RuleId } from './alerts/judge.ts';
import { noteOutcome, notifyRule } from './alerts/notify.ts';
import { Aside } from './capture/aside.ts';
import { anyInventory, captureHosts, type Tasks } from './capture/capture.ts';
import { type Hosts, takeReports } from './capture/take-reports.ts';
import { definePages } from './pages.ts';
import { noteEnd } from './remediate/outcome.ts';
import { extendHosts } from './resources/extend-hosts.ts';
import { driftAlertRuleResource } from './resources/drift-alert-rule.ts';
import { driftAlertResource } from './resources/drift-alert.ts';
import { driftDetectionResource } from './resources/drift-detection.ts';
import { factSnapshotResource } from './resources/fact-snapshot.ts';
import { defineSettings } from './settings.ts';
import { cleanUp } from './tasks/clean-up.ts';

/** Facts of hosts captured after jobs, compared, classified and alerted (specification, "Drift detection"). */
export default definePlugin({
  id: 'drift',
  title: 'Drift',
  version: '1.0.0',
  description: 'What changed on hosts between two jobs: facts captured, compared, classified, alerted.',
  sdk: '^1.0.0',
  migrations: new URL('./migrations/', import.meta.url),

  register(api) {
    const access = driftAccess(api);

    defineSettings(api);
    api.resource(factSnapshotResource(api, access));
    api.resource(driftDetectionResource(api, access));
    api.resource(driftAlertRuleResource(api));
    api.resource(driftAlertResource(access));
    const aside = new Aside();
    api.onStop(() => aside.end());
    extendHosts(api, aside);

    const { capture } = defineTasks(api, aside);
    api.hooks.onFactsUpdated({ name: 'take-reports', timeoutMs: 120_000 }, (update) =>
      takeReports(api, capture, update),
    );
    api.hooks.afterFinish({ name: 'note-remediation' }, ({ run }) => noteEnd(api, run.id));
    api.websocket.group({
      name: 'drift',
      join: async (actor, item, db) =>
        // what is no number would be an error of the database
        /^\d{1,15}$/.test(String(item)) &&
        (Number(item) === anyInventory || access.see.row(actor, { inventory_id: Number(item) }, db)),
    });
    api.insights.provide('drift.detections', async () => {
      const counted = await api.db(api.table('detections')).count({ count: '*' }).first();
      return Number(counted?.['count'] ?? 0);
    });
    definePages(api);
  },
});

/** Facts are captured, then judged by the rules; what fires is told. */
function defineTasks(api: PluginApi, aside: Aside): Tasks {
  const hosts = { schema: z.object({ hosts: z.array(z.int()) }) };
  const told = api.task<NotificationOutcome>(
    'note-outcome',
    { schema: z.looseObject({ notification: z.int() }) as unknown as z.ZodType<NotificationOutcome> },
    (outcome) => noteOutcome(api, outcome),
  );
  const notify = api.task<RuleId>('notify', { schema: z.object({ rule: z.int() }) }, ({ rule }) =>
    notifyRule(api, told, rule),
  );
  const judge = api.task('judge', hosts, (asked) => judgeHosts(api, notify, asked.hosts));
  const capture: Task<Hosts> = api.task('capture', hosts, (asked, context) =>
    aside.inTurn(() => captureHosts(api, { aside, capture, judge }, asked.hosts, context)),
  );
  const clean = api.task('clean-up', { schema: z.object({}) }, (_, context) => cleanUp(api, context));
  api.cron({ task: clean, match: '17 3 * * *' });
  return { capture, judge };
}
