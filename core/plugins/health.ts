import type { HealthReport } from '@tapline/plugin-sdk';
import { reasonOf } from './error.ts';
import type { Registries } from './registries.ts';

const limitMs = 2000;
const longestDetail = 1000;
const statuses = ['ok', 'degraded', 'failed'];

export interface PluginHealth {
  /** How the plugin is now; null where it says nothing of its health. Never throws, answers within 2 s. */
  of(plugin: string): Promise<HealthReport | null>;
  /** of those that say anything, by id */
  statuses(): Promise<Record<string, HealthReport['status']>>;
}

/** Asks plugins how they are. A check that hangs is not asked again while it does. */
export function createHealth(registries: Registries, { timeoutMs = limitMs } = {}): PluginHealth {
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
  const inTime = (plugin: string, check: () => unknown): Promise<HealthReport> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<HealthReport>((resolve) => {
      const detail = `The health check did not answer within ${timeoutMs} ms.`;
      timer = setTimeout(() => resolve({ status: 'failed', detail }), timeoutMs);
    });
    return Promise.race([ask(plugin, check), late]).finally(() => clearTimeout(timer));
  };
  return {
    async of(plugin) {
      const [check] = registries.find(plugin)?.contributions.health ?? [];
      return check ? inTime(plugin, check) : null;
    },
    async statuses() {
      const asking = registries
        .all('health')
        .map(async ({ plugin, item }) => [plugin, (await inTime(plugin, item)).status]);
      return Object.fromEntries(await Promise.all(asking));
    },
  };
}

function asReport(value: unknown): HealthReport {
  const { status, detail } = (value ?? {}) as HealthReport;
  if (!statuses.includes(status))
    return { status: 'failed', detail: `The health check answered no status (${statuses.join(', ')}).` };
  return typeof detail === 'string' ? { status, detail: detail.slice(0, longestDetail) } : { status };
}
