import type { InputField } from '../input-schema.ts';

/** Fields that several types have. */
export const username: InputField = { id: 'username', label: 'Username', type: 'string' };
export const password: InputField = { id: 'password', label: 'Password', type: 'string', secret: true };
export const privateKey: InputField = {
  id: 'ssh_key_data',
  label: 'SSH Private Key',
  type: 'string',
  format: 'ssh_private_key',
  secret: true,
  multiline: true,
  help_text: 'In PEM or OpenSSH form, from its BEGIN line to its END line.',
};
export const passphrase: InputField = {
  id: 'ssh_key_unlock',
  label: 'Private Key Passphrase',
  type: 'string',
  secret: true,
  help_text: 'Needed when the private key is encrypted, and only then.',
};
export const host = (label: string, help_text: string): InputField => ({
  id: 'host',
  label,
  type: 'string',
  help_text,
});
export const verifySsl: InputField = {
  id: 'verify_ssl',
  label: 'Verify SSL',
  type: 'boolean',
  help_text: "Whether the server's certificate has to be one that is trusted.",
};
