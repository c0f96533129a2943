import { type Action, type PluginApi, type Rule, ValidationError } from '@tapline/plugin-sdk';
import { momentsOf, mostMoments, replay, type RuleTerms } from '../alerts/replay.ts';

const most = 200;
const item = {
  type: 'object',
  required: ['host', 'host_name', 'at', 'drift_count'],
  additionalProperties: false,
  properties: {
    host: { type: 'integer' },
    host_name: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    drift_count: { type: 'integer' },
  },
};
const schema = {
  type: 'object',
  required: ['days', 'count', 'complete', 'results'],
  additionalProperties: false,
  properties: {
    days: { type: 'integer' },
    count: { type: 'integer', description: 'how often it would have fired' },
    complete: { type: 'boolean', description: `false: only the newest ${mostMoments} findings were looked at` },
    results: { type: 'array', items: item, description: `the last ${most}` },
  },
};

/** `drift_alert_rules/N/preview/?days=7`: what it would have done; nothing is stored or sent. */
export const previewAction = (api: PluginApi, access: Rule): Action => ({
  access: { GET: access },
  summary: 'When the rule would have fired in the last ?days= (1 to 90, default 7), enabled or not; nothing is sent',
  answers: { GET: { schema } },
  async handler({ query }, row) {
    const days = Number(query.get('days') ?? 7);
    if (!Number.isInteger(days) || days < 1 || days > 90)
      throw ValidationError.field('days', 'Enter a whole number from 1 to 90.');
    const rule = row as unknown as RuleTerms;
    const { moments, complete } = await momentsOf(api, rule, days);
    const fired = replay(rule, moments);
    const body = { days, count: fired.length, complete, results: fired.slice(-most) };
    return { status: 200, body };
  },
});
