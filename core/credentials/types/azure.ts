import { password, username } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

export const azureType: ManagedType = {
  namespace: 'azure_rm',
  kind: 'cloud',
  name: 'Microsoft Azure Resource Manager',
  description: 'Reaches the resources of a Microsoft Azure subscription.',
  inputs: {
    fields: [
      { id: 'subscription', label: 'Subscription ID', type: 'string', help_text: 'The subscription to work in.' },
      username,
      password,
      { id: 'client', label: 'Client ID', type: 'string' },
      { id: 'secret', label: 'Client Secret', type: 'string', secret: true },
      { id: 'tenant', label: 'Tenant ID', type: 'string' },
      {
        id: 'cloud_environment',
        label: 'Azure Cloud Environment',
        type: 'string',
        help_text: 'Only for clouds other than the public one, such as AzureUSGovernment.',
      },
    ],
    required: ['subscription'],
  },
  give({ text }) {
    const principal = text('client') && text('tenant');
    return {
      env: {
        AZURE_SUBSCRIPTION_ID: text('subscription'),
        ...(principal
          ? { AZURE_CLIENT_ID: text('client'), AZURE_TENANT: text('tenant'), AZURE_SECRET: text('secret') }
          : { AZURE_AD_USER: text('username'), AZURE_PASSWORD: text('password') }),
        ...(text('cloud_environment') && { AZURE_CLOUD_ENVIRONMENT: text('cloud_environment') }),
      },
    };
  },
};
