import { type HealthReport, inTime } from '@tapline/plugin-sdk';
import { tapTask } from '../../hooks/queue-tasks.ts';
import { reasonOf } from '../../observe/plugin-error.ts';
import type { FailingTask } from '../../queue/failing-tasks.ts';
import type { Registered, Registries } from '../registries.ts';

const limitMs = 2000;
const longestDetail = 1000;
const statuses = ['ok', 'degraded', 'failed'];

export interface PluginHealth {
  /**
   * How the plugin is now, by its own word and by its tasks: one that keeps failing makes it degraded. Null where it says
   * nothing of its health and nothing fails. Never throws, answers within 2 s.
   */
  of(plugin: string): Promise<HealthReport | null>;
  /** of those of which there is anything to say, by id */
  statuses(): Promise<Record<string, HealthReport['status']>>;
}

interface Options {
  timeoutMs?: number;
  /** tasks that keep failing, of all plugins */
  failing?: () => Promise<readonly FailingTask[]>;
}

/** Asks plugins how they are. A check that hangs is not asked again while it does. */
export function createHealth(
  registries: Registries,
  { timeoutMs = limitMs, failing = async () => [] }: Options = {},
): PluginHealth {
  const asked = new Map<string, Promise<HealthReport>>();
  const ask = (plugin: string, check: () => unknown): Promise<HealthReport> => {
    const running = asked.get(plugin);
    if (running) return running;
    const answer = Promise.resolve()
      .then(check)
      .then(asReport, (error: unknown): HealthReport => ({ status: 'failed', detail: reasonOf(error) }))
      .finally(() => asked.delete(plugin));
    asked.set(plugin, answer);
    return answer;
  };
  const limit = {
    ms: timeoutMs,
    late: () => new Error(`The health check did not answer within ${timeoutMs} ms.`),
  };
  const ownWord = ({ plugin, contributions }: Registered): Promise<HealthReport> | null => {
    const [check] = contributions.health;
    if (!check) return null;
    return inTime(() => ask(plugin.id, check), limit).catch((error: unknown): HealthReport => ({
      status: 'failed',
      detail: reasonOf(error),
    }));
  };
  let reading: Promise<readonly FailingTask[]> | undefined;
  // asked for many plugins at once it is one look; where the database cannot tell, the plugins are not at fault
  const failingNow = () =>
    (reading ??= inTime(failing, limit)
      .catch(() => [])
      .finally(() => (reading = undefined)));
  const reportOf = async (one: Registered): Promise<HealthReport | null> => {
    const [own, tasks] = await Promise.all([ownWord(one), failingNow()]);
    return withTasks(own, failuresOf(one, tasks));
  };
  return {
    async of(plugin) {
      const one = registries.find(plugin);
      return one ? reportOf(one) : null;
    },
    async statuses() {
      const reports = await Promise.all(
        registries.plugins.map(async (one) => ({ id: one.plugin.id, report: await reportOf(one) })),
      );
      return Object.fromEntries(reports.flatMap(({ id, report }) => (report ? [[id, report.status]] : [])));
    },
  };
}

/** A sentence for each of its tasks and taps that keeps failing; what it has no more is left over from another version. */
function failuresOf({ plugin: { id }, contributions }: Registered, tasks: readonly FailingTask[]): string[] {
  const known = new Map([
    ...contributions.tasks.map(({ name }) => [name, `Task ${name.slice(id.length + 1)}`] as const),
    ...contributions.taps.map(
      ({ options }) => [tapTask(options.name), `Tap ${options.name.slice(id.length + 1)}`] as const,
    ),
  ]);
  return tasks.flatMap(({ task, failures, since, error }) => {
    const name = known.get(task);
    const times = failures === 1 ? 'its last try failed' : `its last ${failures} tries failed`;
    return name ? [`${name} keeps failing since ${since}, ${times}: ${error}`] : [];
  });
}

function withTasks(own: HealthReport | null, failures: readonly string[]): HealthReport | null {
  if (!failures.length) return own;
  const detail = [own?.detail, ...failures].filter(Boolean).join(' ').slice(0, longestDetail);
  return { status: own?.status === 'failed' ? 'failed' : 'degraded', detail };
}

function asReport(value: unknown): HealthReport {
  const { status, detail } = (value ?? {}) as HealthReport;
  if (!statuses.includes(status))
    return { status: 'failed', detail: `The health check answered no status (${statuses.join(', ')}).` };
  return typeof detail === 'string' ? { status, detail: detail.slice(0, longestDetail) } : { status };
}
