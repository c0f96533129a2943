import type { Action, PluginApi, Row, Rule } from '@tapline/plugin-sdk';

/** `enable/` and `disable/` of a rule: the record as it is then, also where it was so before. */
export const switchAction = (api: PluginApi, access: Rule, enabled: boolean): Action => ({
  access: { POST: access },
  summary: enabled ? 'Switches it on' : 'Switches it off',
  answers: { POST: { type: 'drift_alert_rule' } },
  async handler(call, { id }) {
    await api.db.transaction(async (trx) => {
      const before: Row | undefined = await trx(api.table('alert_rules')).where({ id }).forUpdate().first();
      if (!before || before['enabled'] === enabled) return;
      const [row] = await trx(api.table('alert_rules'))
        .where({ id })
        .update({ enabled, modified: trx.fn.now(), modified_by_id: call.actor?.id ?? null })
        .returning('*');
      await call.written(trx, 'drift_alert_rule', row as Row, before);
    });
    const [body] = await call.represent('drift_alert_rule', [id], 'detail');
    return { status: 200, body };
  },
});
