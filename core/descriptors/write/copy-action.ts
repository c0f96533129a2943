import {
  type Action,
  type Call,
  type Row,
  type Rule,
  ApiError,
  field,
  notFound,
  ValidationError,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

export interface CopyOptions {
  db: Knex;
  type: string;
  table: string;
  rules: { see: Rule; copy: Rule };
  summary?: string;
  /** why this one cannot be copied by anybody */
  refuses?(row: Row): string | undefined;
  /** What the copy takes over of its row; its name and its authors come by themselves. */
  columns(original: Row, trx: Knex): object | Promise<object>;
  /** Copies what hangs on it, in the same transaction; resolves to what is to be done once that is committed, if anything. */
  after?(trx: Knex, copied: Row, original: Row, call: Call): Promise<(() => Promise<unknown>) | void>;
}

/** `…/copy/`, contract/jobs.md §26 */
export const copyAction = (options: CopyOptions): Action => {
  const { db, type, rules, refuses, summary = 'Copy it under another name' } = options;
  return {
    access: { GET: rules.see, POST: rules.copy },
    summary,
    fields: { name: field.string({ required: true, help: 'The name of the copy.' }) },
    answers: { GET: { fields: { can_copy: field.boolean() } }, POST: { status: 201, type } },
    async handler(call, row) {
      if (call.method === 'GET') {
        const can_copy = (await rules.copy.row(call.actor, row, db)) && refuses?.(row) === undefined;
        return { status: 200, body: { can_copy } };
      }
      const { id, later } = await db.transaction((trx) => insertCopy(trx, options, call, row.id));
      await later?.();
      const [body] = await call.represent(type, [id]);
      return { status: 201, body, headers: { Location: String(body?.url ?? '') } };
    },
  };
};

async function insertCopy(trx: Knex, { type, table, refuses, columns, after }: CopyOptions, call: Call, from: number) {
  const original = await trx(table).where({ id: from }).forShare().first();
  if (!original) throw notFound();
  const { name } = call.body;
  if (name === original.name)
    throw ValidationError.field('__all__', 'The copy needs a name of its own: one like the original already exists.');
  const refusal = refuses?.(original);
  if (refusal !== undefined) throw new ApiError(403, refusal);
  const author = call.actor?.id ?? null;
  const [copied] = await trx(table)
    .insert({ ...(await columns(original, trx)), name, created_by_id: author, modified_by_id: author })
    .returning('*');
  const later = await after?.(trx, copied, original, call);
  await call.copyExtensions(trx, type, original.id, copied.id);
  await call.written(trx, type, copied);
  return { id: copied.id as number, later };
}
