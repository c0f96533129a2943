import { host, password, username, verifySsl } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

/** This service itself, or another one with the same API. */
export const platformType: ManagedType = {
  namespace: 'svc',
  kind: 'cloud',
  // clients look it up by this name (contract/clients.md)
  name: 'Red Hat Ansible Automation Platform',
  description: 'Reaches this service, or another one with the same interface, from within a run.',
  inputs: {
    fields: [
      host('Controller Hostname', 'The address of the service, such as https://automation.example.org'),
      { ...username, help_text: 'Not needed with a token.' },
      password,
      {
        id: 'oauth_token',
        label: 'OAuth Token',
        type: 'string',
        secret: true,
        help_text: 'In place of user name and password.',
      },
      verifySsl,
    ],
    required: ['host'],
  },
  give({ text, flag }) {
    const values = {
      HOST: text('host'),
      USERNAME: text('username'),
      PASSWORD: text('password'),
      VERIFY_SSL: flag('verify_ssl') ? 'True' : 'False',
      OAUTH_TOKEN: text('oauth_token'),
    };
    return {
      env: Object.fromEntries(
        ['CONTROLLER', 'TOWER'].flatMap((prefix) =>
          Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]),
        ),
      ),
    };
  },
};
