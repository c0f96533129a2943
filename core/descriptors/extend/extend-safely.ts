import { type Call, type Field, inTime, type Resource, type Row } from '@tapline/plugin-sdk';

/**
 * What plugins compute for rows of core, such that core's part of the answer comes whatever they do: throw, hang, return
 * what JSON cannot hold, or change the rows that they are given.
 */

const limitMs = 2000;

type Failed = (error: unknown) => void;
type Own = (entries: Record<string, unknown>) => Record<string, unknown>;
type Links = NonNullable<Resource['related']>;
type Summaries = NonNullable<Resource['summaries']>;

const readOnly = (row: Row) => Object.freeze({ ...row });
const plain = <T>(value: T): T => (value === undefined ? (null as T) : JSON.parse(JSON.stringify(value)));

export const safeFields = (fields: Record<string, Field>, failed: Failed): Record<string, Field> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { compute } = field;
      if (!compute) return [name, field];
      const safe = (row: Row, call: Call) => {
        try {
          return plain(compute(readOnly(row), call));
        } catch (error) {
          failed(error);
          return null;
        }
      };
      return [name, { ...field, compute: safe }];
    }),
  );

export const safeLinks =
  (core: Links | undefined, added: Links, own: Own, failed: Failed): Links =>
  (row) => {
    const known = core?.(row) ?? {};
    try {
      return { ...(own(plain(added(readOnly(row)))) as Record<string, string | null>), ...known };
    } catch (error) {
      failed(error);
      return known;
    }
  };

export function safeSummaries(core: Summaries | undefined, added: Summaries, own: Own, failed: Failed): Summaries {
  return async (db, rows, call, view) => {
    const asked = inTime(
      async () => {
        const found = await added(db, rows.map(readOnly), call, view);
        return new Map([...found].map(([id, summary]) => [Number(id), own(plain(summary ?? {}))]));
      },
      { ms: limitMs, late: () => new Error(`not done within ${limitMs} ms`) },
    );
    const [known, more] = await Promise.all([
      core?.(db, rows, call, view),
      asked.catch((error: unknown) => {
        failed(error);
        return undefined;
      }),
    ]);
    return new Map(
      rows.map(({ id }): [number, Record<string, unknown>] => [id, beside(more?.get(id), known?.get(id))]),
    );
  };
}

type Summary = Record<string, unknown>;

/** Rights are told under one name, whoever tells of them. */
function beside(more: Summary = {}, known: Summary = {}): Summary {
  const rights = { ...(more.user_capabilities as object), ...(known.user_capabilities as object) };
  return { ...more, ...known, ...(Object.keys(rights).length && { user_capabilities: rights }) };
}
