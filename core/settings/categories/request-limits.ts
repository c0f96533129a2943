import type { SettingDefinition } from '../definition.ts';

/** What one caller may take, so that there is some left for everybody else. Why so much: README, "Limits". */
export const requestLimitSettings = {
  REQUESTS_PER_USER: {
    category: 'system',
    type: 'integer',
    min: 0,
    default: 6,
    help: 'Requests of one user that a node works on at once, and ten times as many launches. Thirty times as many wait their turn; further ones answer 429. 0 = no limit.',
  },
  REQUESTS_PER_ADDRESS: {
    category: 'system',
    type: 'integer',
    min: 0,
    default: 500,
    help: 'Requests from one address (for IPv6: from one network of 64 bits) that a node takes at once, whoever sends them; further ones answer 429. 0 = no limit.',
  },
  TOKEN_REQUESTS_PER_MINUTE: {
    category: 'system',
    type: 'integer',
    min: 0,
    default: 0,
    help: 'Requests with one token that a node takes in a minute, each node counting for itself; further ones answer 429. Answers tell what is left in RateLimit. 0 = no limit.',
  },
  WEBSOCKETS_PER_USER: {
    category: 'system',
    type: 'integer',
    min: 0,
    default: 30,
    help: 'WebSockets that a user may have open on a node; further ones answer 429. 0 = no limit.',
  },
  ANSWER_MAX_BYTES: {
    category: 'system',
    type: 'integer',
    min: 1_000_000,
    default: 33_554_432,
    unit: 'bytes',
    help: 'Most bytes that the database may answer to one statement of a request, a page of a list for instance. A request for more answers 400.',
  },
} as const satisfies Record<string, SettingDefinition>;
