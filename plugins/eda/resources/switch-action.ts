import type { Action, PluginApi, Rule } from '@tapline/plugin-sdk';
import { changeRule } from './change-rule.ts';

export const switchAction = (api: PluginApi, access: Rule, enabled: boolean): Action => ({
  access: { POST: access },
  summary: enabled ? 'Switch it on' : 'Switch it off: its events are answered and ignored',
  fields: {},
  answers: { POST: { type: 'event_rule' } },
  async handler(call, row) {
    if (row['enabled'] !== enabled) await changeRule(api, call, row, () => ({ enabled }));
    return { status: 200, body: (await call.represent('event_rule', [row.id]))[0] };
  },
});
