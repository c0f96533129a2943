import { passphrase, password, privateKey, username } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

export const networkType: ManagedType = {
  namespace: 'net',
  kind: 'net',
  name: 'Network',
  description: 'Logs in to network devices.',
  inputs: {
    fields: [
      username,
      password,
      privateKey,
      passphrase,
      {
        id: 'authorize',
        label: 'Authorize',
        type: 'boolean',
        help_text: 'Whether to enter the privileged mode of the device.',
      },
      {
        id: 'authorize_password',
        label: 'Authorize Password',
        type: 'string',
        secret: true,
        help_text: 'The password of the privileged mode.',
      },
    ],
    required: ['username'],
    dependencies: { authorize_password: ['authorize'] },
  },
  give({ text, flag, file }) {
    const key = text('ssh_key_data');
    return {
      env: {
        ANSIBLE_NET_USERNAME: text('username'),
        ANSIBLE_NET_PASSWORD: text('password'),
        ...(key && { ANSIBLE_NET_SSH_KEYFILE: file('ssh_key') }),
        ANSIBLE_NET_AUTHORIZE: flag('authorize') ? '1' : '0',
        ...(flag('authorize') && { ANSIBLE_NET_AUTH_PASS: text('authorize_password') }),
      },
      // modules read the file; what connects by ssh itself asks the agent, which has the passphrase
      ...(key && { files: { ssh_key: key }, sshKeys: [{ key, passphrase: text('ssh_key_unlock') || null }] }),
    };
  },
};
