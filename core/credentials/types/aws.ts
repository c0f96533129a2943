import type { ManagedType } from './managed-type.ts';

export const awsType: ManagedType = {
  namespace: 'aws',
  kind: 'cloud',
  name: 'Amazon Web Services',
  description: 'Reaches the services of Amazon Web Services.',
  inputs: {
    fields: [
      { id: 'username', label: 'Access Key', type: 'string' },
      { id: 'password', label: 'Secret Key', type: 'string', secret: true },
      {
        id: 'security_token',
        label: 'STS Token',
        type: 'string',
        secret: true,
        help_text: 'The session token that temporary keys come with.',
      },
    ],
    required: ['username', 'password'],
  },
  give: ({ text }) => ({
    env: {
      AWS_ACCESS_KEY_ID: text('username'),
      AWS_SECRET_ACCESS_KEY: text('password'),
      ...(text('security_token') && {
        AWS_SECURITY_TOKEN: text('security_token'),
        AWS_SESSION_TOKEN: text('security_token'),
      }),
    },
  }),
};
