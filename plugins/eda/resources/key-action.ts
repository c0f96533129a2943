import { type Action, field, type PluginApi, type Rule as Access } from '@tapline/plugin-sdk';
import { newKey, openKey, replacedKey } from '../keys.ts';
import type { Rule } from '../rule.ts';
import { numberOf } from '../settings.ts';
import { changeRule } from './change-rule.ts';

const answered = { webhook_key: field.string() };

/** `webhook_key/`: the only place where it is shown, and a new one; the former is accepted for EDA_KEY_OVERLAP_HOURS. */
export const keyAction = (api: PluginApi, access: Access): Action => ({
  access: { GET: access, POST: access },
  summary: 'The key that its events are signed with, and a new one',
  fields: {},
  answers: { GET: { fields: answered }, POST: { status: 201, fields: answered } },
  async handler(call, row) {
    if (call.method === 'GET') {
      const rule: Rule = await api.db(api.table('event_rules')).where({ id: row.id }).first();
      return { status: 200, body: { webhook_key: openKey(api, rule) } };
    }
    const key = newKey();
    const hours = numberOf(api, 'EDA_KEY_OVERLAP_HOURS', 24);
    const until = hours ? new Date(api.clock.now().getTime() + hours * 3_600_000) : null;
    await changeRule(api, call, row, (before) => replacedKey(api, before as unknown as Rule, key, until));
    return { status: 201, body: { webhook_key: key } };
  },
});
