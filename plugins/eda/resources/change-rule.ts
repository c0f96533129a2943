import { type Call, type Knex, notFound, type PluginApi, type Row } from '@tapline/plugin-sdk';

/** Changes columns of a rule under its lock, told as any other change. */
export async function changeRule(
  { db, table }: PluginApi,
  call: Call,
  { id }: Pick<Row, 'id'>,
  columnsOf: (row: Row, trx: Knex) => object,
): Promise<void> {
  const rules = table('event_rules');
  await db.transaction(async (trx) => {
    const before: Row | undefined = await trx(rules).where({ id }).forUpdate().first();
    if (!before) throw notFound();
    const changed = { ...columnsOf(before, trx), modified: trx.fn.now(), modified_by_id: call.actor?.id ?? null };
    const [row] = await trx(rules).where({ id }).update(changed).returning('*');
    await call.written(trx, 'event_rule', row, before);
  });
}
