import { passphrase, password, privateKey, username } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

/** Inputs that the engine evaluates where they hold expressions. */
export const evaluatedInputs: readonly string[] = ['username', 'become_method', 'become_username'];

export const machineType: ManagedType = {
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
};

export const vaultType: ManagedType = {
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
};
