import { privateKey } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

const tokenUri = 'https://oauth2.googleapis.com/token';

export const googleType: ManagedType = {
  namespace: 'gce',
  kind: 'cloud',
  name: 'Google Compute Engine',
  description: 'Reaches the projects of Google Cloud by a service account.',
  inputs: {
    fields: [
      {
        id: 'username',
        label: 'Service Account Email Address',
        type: 'string',
        help_text: 'As the JSON file of the service account has it in client_email.',
      },
      {
        id: 'project',
        label: 'Project',
        type: 'string',
        help_text: 'The identifier of the project, as the JSON file has it in project_id.',
      },
      { ...privateKey, label: 'RSA Private Key', help_text: 'As the JSON file of the account has it in private_key.' },
    ],
    required: ['username', 'ssh_key_data'],
  },
  give({ text, file }) {
    const account = {
      type: 'service_account',
      private_key: text('ssh_key_data'),
      client_email: text('username'),
      project_id: text('project'),
      token_uri: tokenUri,
    };
    const path = file('service_account.json');
    return {
      files: { 'service_account.json': JSON.stringify(account, null, 2) },
      env: {
        GCE_EMAIL: text('username'),
        GCE_PROJECT: text('project'),
        GCE_CREDENTIALS_FILE_PATH: path,
        GCP_SERVICE_ACCOUNT_FILE: path,
        GOOGLE_APPLICATION_CREDENTIALS: path,
        GCP_AUTH_KIND: 'serviceaccount',
        GCP_PROJECT: text('project'),
        GCP_ENV_TYPE: 'tower',
      },
    };
  },
};
