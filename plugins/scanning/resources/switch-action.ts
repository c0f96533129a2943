import type { Action, PluginApi, Rule } from '@tapline/plugin-sdk';

/** `enable/` and `disable/`: the scanner as it then is, however often it is asked for. */
export const switchAction = (api: PluginApi, rule: Rule, enabled: boolean): Action => ({
  summary: enabled ? 'Has it scan launches' : 'Has it scan no more',
  access: { POST: rule },
  fields: {},
  answers: { POST: { type: 'scanner' } },
  async handler(call, { id }) {
    await api.db.transaction(async (trx) => {
      const before = await trx(api.table('scanners')).where({ id }).forUpdate().first();
      if (!before || before.enabled === enabled) return;
      const [row] = await trx(api.table('scanners'))
        .where({ id })
        .update({ enabled, modified: trx.fn.now(), modified_by_id: call.actor?.id ?? null })
        .returning('*');
      await call.written(trx, 'scanner', row, before);
    });
    const [body] = await call.represent('scanner', [id], 'detail');
    return { status: 200, body };
  },
});
