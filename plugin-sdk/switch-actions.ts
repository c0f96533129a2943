import type { PluginApi } from './api.ts';
import { notFound } from './errors.ts';
import type { Action, Row, Rule } from './resource.ts';

/** A resource with a column `enabled`, beside `modified` and `modified_by_id`. */
export interface Switched {
  type: string;
  /** its table in the schema of the plugin, without the schema */
  table: string;
  /** who may switch it */
  access: Rule;
  /** what each of them does, for OPTIONS and the API's description */
  enable: string;
  disable: string;
}

/**
 * The actions `enable/` and `disable/` of a record: POST answers it as it then is, also where it was so before. The change is made under
 * the row's lock, and told as any other write. @throws ApiError 404 where the record has gone meanwhile
 */
export const switchActions = (
  api: Pick<PluginApi, 'db' | 'table'>,
  { type, table: name, access, ...summaries }: Switched,
): { enable: Action; disable: Action } => {
  const action = (enabled: boolean): Action => ({
    summary: enabled ? summaries.enable : summaries.disable,
    access: { POST: access },
    fields: {},
    answers: { POST: { type } },
    async handler(call, { id }) {
      await api.db.transaction(async (trx) => {
        const before: Row | undefined = await trx(api.table(name)).where({ id }).forUpdate().first();
        if (!before) throw notFound();
        if (before['enabled'] === enabled) return;
        const changed = { enabled, modified: trx.fn.now(), modified_by_id: call.actor?.id ?? null };
        const [row] = await trx(api.table(name)).where({ id }).update(changed).returning('*');
        await call.written(trx, type, row as Row, before);
      });
      const [body] = await call.represent(type, [id], 'detail');
      return { status: 200, body };
    },
  });
  return { enable: action(true), disable: action(false) };
};
