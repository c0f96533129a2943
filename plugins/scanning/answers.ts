import { type PluginApi, z } from '@tapline/plugin-sdk';
import type { Finding, Tool } from './scanner.ts';

/** What a tool said of files. */
export interface Answer {
  findings: Finding[];
  raw: string;
  /** there was nothing for it to look at */
  nothing?: true;
}

export interface Answers {
  /** those that are known, by what was asked: one statement, and none for nothing */
  find(asked: readonly string[]): Promise<Map<string, Answer>>;
  keep(asked: string, tool: Tool, answer: Answer): Promise<void>;
}

const dayMs = 86_400_000;
/** Advisories change by themselves. */
const longestMs: Partial<Record<Tool, number>> = { dependency_audit: 3_600_000 };
const mostBytes = 1_048_576;
/** Of all together; the oldest go first. */
const mostBytesOfAll = 256 * mostBytes;

const keptMs = ({ settings }: Pick<PluginApi, 'settings'>): number => settings.get('SCANNER_CACHE_DAYS', 7) * dayMs;

export const keepsAnswers = (api: Pick<PluginApi, 'settings'>): boolean => keptMs(api) > 0;

/** Answers in a table of the plugin: they outlive the process, and every node finds them. */
export function createAnswers(api: PluginApi): Answers {
  return {
    async find(asked) {
      if (!asked.length || !keepsAnswers(api)) return new Map();
      const rows: { asked: string; answer: Answer }[] = await api
        .db(api.table('answers'))
        .whereIn('asked', [...new Set(asked)])
        .where('expires', '>', api.clock.now())
        .select('asked', 'answer');
      return new Map(rows.map((row) => [row.asked, row.answer]));
    },
    async keep(asked, tool, answer) {
      const text = JSON.stringify(answer);
      const forMs = Math.min(keptMs(api), longestMs[tool] ?? Infinity);
      if (forMs === 0 || text.length > mostBytes) return;
      const now = api.clock.now();
      const row = { answer: text, bytes: text.length, created: now, expires: new Date(now.getTime() + forMs) };
      await api
        .db(api.table('answers'))
        .insert({ asked, ...row })
        .onConflict('asked')
        .merge();
    },
  };
}

/** Each hour those go that hold no more, and what is too much. */
export function removeOldAnswers(api: PluginApi): void {
  const remove = api.task('remove-answers', { schema: z.object({}) }, async () => {
    const table = api.table('answers');
    await api
      .db(table)
      .where('expires', '<=', keepsAnswers(api) ? api.clock.now() : 'infinity')
      .delete();
    await api.db.raw(
      `delete from ${table} where asked in (
         select asked from (select asked, sum(bytes) over (order by created desc, asked) as so_far from ${table}) a where so_far > ?)`,
      [mostBytesOfAll],
    );
  });
  api.cron({ task: remove, match: '40 * * * *', payload: {} });
}
