import type { Knex } from 'knex';
import type { InputField, InputSchema } from './input-schema.ts';

interface ManagedType {
  namespace: string;
  kind: string;
  name: string;
  description: string;
  inputs: InputSchema;
}

const username: InputField = { id: 'username', label: 'Username', type: 'string' };
const password: InputField = { id: 'password', label: 'Password', type: 'string', secret: true };
const privateKey: InputField = {
  id: 'ssh_key_data',
  label: 'SSH Private Key',
  type: 'string',
  format: 'ssh_private_key',
  secret: true,
  multiline: true,
  help_text: 'In PEM or OpenSSH form, from its BEGIN line to its END line.',
};
const passphrase: InputField = {
  id: 'ssh_key_unlock',
  label: 'Private Key Passphrase',
  type: 'string',
  secret: true,
  help_text: 'Needed when the private key is encrypted, and only then.',
};

/** Types that come with the service, found by their namespace (contract §11.1). Field order is display order. */
export const managedTypes: readonly ManagedType[] = [
  {
    namespace: 'ssh',
    kind: 'ssh',
    name: 'Machine',
    description: 'Logs in to managed hosts.',
    inputs: {
      fields: [
        username,
        { ...password, ask_at_runtime: true },
        privateKey,
        {
          id: 'ssh_public_key_data',
          label: 'Signed SSH Certificate',
          type: 'string',
          multiline: true,
          secret: true,
          help_text: 'The certificate that an authority issued for the private key.',
        },
        { ...passphrase, ask_at_runtime: true },
        {
          id: 'become_method',
          label: 'Privilege Escalation Method',
          type: 'string',
          help_text:
            'How to become another user on the host, such as sudo, su, doas or runas. Left blank, playbook and inventory decide.',
        },
        {
          id: 'become_username',
          label: 'Privilege Escalation Username',
          type: 'string',
          help_text: 'The user to become. Left blank, playbook and inventory decide.',
        },
        {
          id: 'become_password',
          label: 'Privilege Escalation Password',
          type: 'string',
          secret: true,
          ask_at_runtime: true,
        },
      ],
    },
  },
  {
    namespace: 'scm',
    kind: 'scm',
    name: 'Source Control',
    description: 'Fetches the content of projects.',
    inputs: { fields: [username, password, privateKey, passphrase] },
  },
  {
    namespace: 'vault',
    kind: 'vault',
    name: 'Vault',
    description: 'Opens encrypted variables and files of playbooks.',
    inputs: {
      fields: [
        { id: 'vault_password', label: 'Vault Password', type: 'string', secret: true, ask_at_runtime: true },
        {
          id: 'vault_id',
          label: 'Vault Identifier',
          type: 'string',
          format: 'vault_id',
          help_text: 'Which vault the password belongs to, where a job uses several. It cannot be changed later.',
        },
      ],
      required: ['vault_password'],
    },
  },
  {
    namespace: 'galaxy_api_token',
    kind: 'galaxy',
    name: 'Ansible Galaxy/Automation Hub API Token',
    description: 'Gets the collections and roles that projects require.',
    inputs: {
      fields: [
        { id: 'url', label: 'Galaxy Server URL', type: 'string', format: 'url', help_text: 'The server to ask.' },
        {
          id: 'auth_url',
          label: 'Auth Server URL',
          type: 'string',
          format: 'url',
          help_text: 'Where the token is exchanged for a session, if the server needs that.',
        },
        { id: 'token', label: 'API Token', type: 'string', secret: true },
      ],
      required: ['url'],
    },
  },
];

/** Brings the managed types in the database up to this version's. Safe to run by many nodes at once. */
export async function ensureManagedTypes(db: Knex): Promise<void> {
  const rows = managedTypes.map((type) => ({
    ...type,
    inputs: JSON.stringify(type.inputs),
    injectors: '{}',
    managed: true,
  }));
  await db('credential_types')
    .insert(rows)
    .onConflict('namespace')
    .merge({
      kind: db.raw('excluded.kind'),
      name: db.raw('excluded.name'),
      description: db.raw('excluded.description'),
      inputs: db.raw('excluded.inputs'),
      injectors: db.raw('excluded.injectors'),
      modified: db.fn.now(),
    })
    .whereRaw(`(credential_types.kind, credential_types.name, credential_types.description, credential_types.inputs, credential_types.injectors)
      is distinct from (excluded.kind, excluded.name, excluded.description, excluded.inputs, excluded.injectors)`);
}
