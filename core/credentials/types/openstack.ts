import { host, password, username, verifySsl } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

/** The name under which playbooks and inventories of older servers know the cloud. */
const cloud = 'devstack';

export const openstackType: ManagedType = {
  namespace: 'openstack',
  kind: 'cloud',
  name: 'OpenStack',
  description: 'Reaches an OpenStack cloud, by a user or by application credentials.',
  inputs: {
    fields: [
      host('Host (Authentication URL)', 'Where the cloud authenticates, such as https://openstack.example.com/v3'),
      username,
      { ...password, label: 'Password (API Key)' },
      { id: 'project', label: 'Project (Tenant Name)', type: 'string' },
      { id: 'project_domain_name', label: 'Project (Domain Name)', type: 'string' },
      { id: 'domain', label: 'Domain Name', type: 'string', help_text: 'The domain of the user, with version 3.' },
      { id: 'region', label: 'Region Name', type: 'string', help_text: 'For clouds of several regions.' },
      { ...verifySsl, default: true },
      {
        id: 'application_credential_id',
        label: 'Application Credential ID',
        type: 'string',
        help_text: 'In place of a user; needs the secret beside it.',
      },
      {
        id: 'application_credential_secret',
        label: 'Application Credential Secret',
        type: 'string',
        secret: true,
      },
    ],
    required: ['host'],
    dependencies: { application_credential_secret: ['application_credential_id'] },
  },
  give({ text, flag, file }) {
    const application = text('application_credential_id');
    const auth = application
      ? { application_credential_id: application, application_credential_secret: text('application_credential_secret') }
      : {
          username: text('username'),
          password: text('password'),
          project_name: text('project'),
          ...(text('project_domain_name') && { project_domain_name: text('project_domain_name') }),
          ...(text('domain') && { domain_name: text('domain') }),
        };
    const described = {
      ...(application && { auth_type: 'v3applicationcredential' }),
      auth: { auth_url: text('host'), ...auth },
      verify: flag('verify_ssl'),
      ...(text('region') && { region_name: text('region') }),
    };
    return {
      // JSON is YAML
      files: { 'clouds.yaml': JSON.stringify({ clouds: { [cloud]: described } }, null, 2) },
      env: { OS_CLIENT_CONFIG_FILE: file('clouds.yaml') },
    };
  },
};
