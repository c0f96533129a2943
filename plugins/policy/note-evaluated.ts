import type { PluginApi } from '@tapline/plugin-sdk';
import type { Policy } from './policy.ts';

export type NoteEvaluated = (policies: readonly Policy[], at: Date) => void;

const everyMs = 1000;

/** `last_evaluated_at` of policies that let launches pass, gathered so that a launch costs no statement for it. */
export function createNotes(api: PluginApi): { note: NoteEvaluated; flush(): Promise<void> } {
  const noted = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (!noted.size) return;
    const [ids, times] = [[...noted.keys()], [...noted.values()].map((at) => at.toISOString())];
    noted.clear();
    await api.db
      .raw(
        `update ${api.table('policies')} p set last_evaluated_at = greatest(p.last_evaluated_at, n.at)
         from unnest(?::bigint[], ?::timestamptz[]) n(id, at) where p.id = n.id`,
        [ids, times],
      )
      .catch((err: unknown) => api.log.warn({ err }, 'when policies were evaluated could not be stored'));
  }
  return {
    note(policies, at) {
      for (const { id } of policies) noted.set(id, at);
      timer ??= setTimeout(() => void flush(), everyMs).unref();
    },
    flush,
  };
}
