import { type Action, field, ValidationError } from '@tapline/plugin-sdk';
import { authenticated } from '../../rbac/rules.ts';
import { readRule } from '../../schedules/read-rule.ts';
import { timesOf } from '../../schedules/times.ts';
import { localText } from '../../schedules/wall-clock.ts';
import { knownZones } from '../../schedules/zones.ts';

const shown = 10;
const texts = { type: 'array', items: { type: 'string' } };
let zones: ReturnType<typeof knownZones> | undefined;

/** The next times of a rule, as the clocks of its zone show them and in UTC. */
export const previewAction: Action = {
  access: { POST: authenticated },
  summary: 'The next times of a rule',
  fields: { rrule: field.text({ required: true }) },
  answers: {
    POST: { schema: { type: 'object', properties: { local: texts, utc: texts }, required: ['local', 'utc'] } },
  },
  async handler({ body }) {
    if (typeof body['rrule'] !== 'string') throw ValidationError.field('rrule', 'This field is required.');
    const rule = readRule(body['rrule']);
    const { next } = await timesOf(rule, { now: Date.now(), most: shown, ends: false });
    return {
      status: 200,
      body: { local: next.map((at) => localText(at, rule.zone)), utc: next.map((at) => localText(at, 'UTC')) },
    };
  },
};

/** Names of time zones, and which of them stand for others. */
export const zoneinfoAction: Action = {
  access: { GET: authenticated },
  summary: 'Time zones that rules may name',
  answers: {
    GET: {
      schema: {
        type: 'object',
        properties: { zones: texts, links: { type: 'object', additionalProperties: { type: 'string' } } },
        required: ['zones', 'links'],
      },
    },
  },
  handler: async () => ({ status: 200, body: (zones ??= knownZones()) }),
};
