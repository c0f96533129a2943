import type { Route } from '@tapline/plugin-sdk';
import { mapOf, text } from '../../descriptors/describe/json-schema.ts';
import { auditor } from '../../rbac/rules.ts';

/** Clients look for reports of a service elsewhere that collects figures; nothing is sent anywhere from here. */
export const analyticsRoute: Route = {
  path: '/api/v2/analytics/',
  root: 'analytics',
  summary: 'Reports of an outside service: there are none',
  access: { GET: auditor },
  answers: { GET: { schema: mapOf(text) } },
  handler: async () => ({ status: 200, body: {} }),
};
