import { password, username } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

export const insightsType: ManagedType = {
  namespace: 'insights',
  kind: 'insights',
  name: 'Insights',
  description: 'Reads what Red Hat Insights knows about hosts.',
  inputs: { fields: [username, password], required: ['username', 'password'] },
  give: ({ text }) => ({
    env: { INSIGHTS_USER: text('username'), INSIGHTS_PASSWORD: text('password') },
    extraVars: { scm_username: text('username'), scm_password: text('password') },
  }),
};
