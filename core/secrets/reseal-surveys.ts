import type { Knex } from 'knex';
import { notificationSecretCell, savedAnswerCell, secretVariableCell, surveyDefaultCell } from './cells.ts';
import type { Cell } from './key-ring.ts';

const batch = 500;

type Reseal = (text: string, cell: Cell) => string;
type Texts = Record<string, string>;
type UsesOldKey = (text: unknown) => boolean;

/** What jsonb columns of a table hold in encrypted texts, by key: by pages, each in a transaction of its own. */
async function resealPages(
  db: Knex,
  { table, column, where }: { table: string; column: string; where: string },
  anew: (row: { id: number; value: unknown }) => unknown,
): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const rows = await db.transaction(async (trx) => {
      const page: { id: number; value: unknown }[] = await trx(table)
        .select({ id: 'id', value: column })
        .where('id', '>', after)
        .whereRaw(where)
        .orderBy('id')
        .limit(batch)
        .forUpdate();
      const changed = page.flatMap((row) => {
        const value = anew(row);
        return value === undefined ? [] : [{ id: row.id, value }];
      });
      await trx.raw(
        'update ?? t set ?? = n.value from jsonb_to_recordset(?::jsonb) as n(id bigint, value jsonb) where t.id = n.id',
        [table, column, JSON.stringify(changed)],
      );
      count += changed.length;
      return page;
    });
    if (rows.length < batch) return count;
    after = rows.at(-1)!.id;
  }
}

type CellOf = (id: number, name: string) => Cell;

const resealAnswersIn = (db: Knex, table: string, cell: CellOf, reseal: Reseal, usesOldKey: UsesOldKey) =>
  resealPages(db, { table, column: 'survey_passwords', where: 'survey_passwords is not null' }, ({ id, value }) => {
    const sealed = Object.entries(value as Texts);
    if (!sealed.some(([, text]) => usesOldKey(text))) return undefined;
    return Object.fromEntries(sealed.map(([name, text]) => [name, reseal(text, cell(id, name))]));
  });

/**
 * Tables of sets of saved prompts, which keep secret answers for launches to come. The database tells, so that none is
 * forgotten whose secrets would be lost with their key.
 */
export async function savedAnswerTables(db: Knex): Promise<string[]> {
  const { rows } = await db.raw(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'survey_passwords' and not a.attisdropped and c.relkind in ('r', 'p') and c.relname <> 'runs'
       and c.relnamespace = current_schema()::regnamespace
     order by 1`,
  );
  return rows.map(({ name }: { name: string }) => name);
}

/** Secret answers to surveys: those that runs keep so that they can be launched again, and those saved for launches to come. */
export async function resealAnswers(db: Knex, reseal: Reseal, usesOldKey: UsesOldKey): Promise<number> {
  let count = await resealAnswersIn(db, 'runs', secretVariableCell, reseal, usesOldKey);
  for (const table of await savedAnswerTables(db))
    // two or three tables, each by pages
    // oxlint-disable-next-line no-await-in-loop
    count += await resealAnswersIn(db, table, (id, name) => savedAnswerCell(table, id, name), reseal, usesOldKey);
  return count;
}

/** What notification templates are configured with. */
export const resealConfigurations = (
  db: Knex,
  reseal: Reseal,
  usesOldKey: (text: unknown) => boolean,
): Promise<number> =>
  resealPages(
    db,
    {
      table: 'notification_templates',
      column: 'notification_configuration',
      where: `notification_configuration::text like '%"tap1:%'`,
    },
    ({ id, value }) => {
      const entries = Object.entries(value as Record<string, unknown>);
      if (!entries.some(([, text]) => usesOldKey(text))) return undefined;
      return Object.fromEntries(
        entries.map(([name, text]) => [
          name,
          usesOldKey(text) ? reseal(String(text), notificationSecretCell(id, name)) : text,
        ]),
      );
    },
  );

interface Question {
  type: string;
  variable: string;
  default?: unknown;
}

/** Defaults of password questions. */
export const resealSurveys = (db: Knex, reseal: Reseal, usesOldKey: (text: unknown) => boolean): Promise<number> =>
  resealPages(
    db,
    { table: 'templates', column: 'survey_spec', where: `survey_spec::text like '%"tap1:%'` },
    ({ id, value }) => {
      const survey = value as { spec?: Question[] };
      const old = (question: Question) => question.type === 'password' && usesOldKey(question.default);
      if (!survey.spec?.some(old)) return undefined;
      const spec = survey.spec.map((question) =>
        old(question)
          ? { ...question, default: reseal(String(question.default), surveyDefaultCell(id, question.variable)) }
          : question,
      );
      return { ...survey, spec };
    },
  );
