import type { Action, PluginApi, Rule } from '@tapline/plugin-sdk';

/** `enable/` and `disable/`: the policy as it then is, however often it is asked for. */
export const switchAction = (api: PluginApi, rule: Rule, enabled: boolean): Action => ({
  summary: enabled ? 'Asks it about launches' : 'Asks it no more',
  access: { POST: rule },
  fields: {},
  answers: { POST: { type: 'policy' } },
  async handler(call, { id }) {
    await api.db.transaction(async (trx) => {
      const before = await trx(api.table('policies')).where({ id }).forUpdate().first();
      if (!before || before.enabled === enabled) return;
      const [row] = await trx(api.table('policies'))
        .where({ id })
        .update({ enabled, modified: trx.fn.now(), modified_by_id: call.actor?.id ?? null })
        .returning('*');
      await call.written(trx, 'policy', row, before);
    });
    const [body] = await call.represent('policy', [id], 'detail');
    return { status: 200, body };
  },
});
