import type { Route } from '@tapline/plugin-sdk';
import { authenticated } from '../../rbac/rules.ts';

/** A list with one entry, the caller: clients read it like any other list. */
export const meRoute: Route = {
  path: '/api/v2/me/',
  root: 'me',
  lists: 'user',
  summary: 'The user who asks',
  access: { GET: authenticated },
  handler: (call) => call.list('user', (builder, alias) => builder.where(`${alias}.id`, call.actor!.id)),
};
