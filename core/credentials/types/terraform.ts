import type { ManagedType } from './managed-type.ts';

export const terraformType: ManagedType = {
  namespace: 'terraform',
  kind: 'cloud',
  name: 'Terraform backend configuration',
  description: 'Reaches the backend in which Terraform keeps its state.',
  inputs: {
    fields: [
      {
        id: 'configuration',
        label: 'Backend configuration',
        type: 'string',
        secret: true,
        multiline: true,
        help_text: "The file that is given to terraform's -backend-config.",
      },
      {
        id: 'gce_credentials',
        label: 'Google Cloud Platform account credentials',
        type: 'string',
        secret: true,
        multiline: true,
        help_text: 'The JSON file of a service account, for a state that lies with Google.',
      },
    ],
    required: ['configuration'],
  },
  give: ({ text, file }) => ({
    files: {
      'backend.conf': text('configuration'),
      ...(text('gce_credentials') && { 'gce.json': text('gce_credentials') }),
    },
    env: {
      TF_BACKEND_CONFIG_FILE: file('backend.conf'),
      ...(text('gce_credentials') && { GOOGLE_BACKEND_CREDENTIALS: file('gce.json') }),
    },
  }),
};
