import type { CredentialSource, SecretLookup } from '@tapline/plugin-sdk';
import { askFor, below, escapedPath, json, textWithin, within } from './json.ts';
import { authPathField, type NodeAccount, vaultFields, vaultRequest, vaultToken } from './vault-login.ts';

export const hashivaultKv = (account: NodeAccount): CredentialSource => ({
  namespace: 'hashivault_kv',
  name: 'HashiCorp Vault Secret Lookup',
  description: 'Reads values from a key-value engine of HashiCorp Vault or OpenBao.',
  fields: [
    ...vaultFields,
    {
      id: 'api_version',
      label: 'API Version',
      choices: ['v1', 'v2'],
      default: 'v1',
      help_text: 'Of the key-value engine.',
    },
  ],
  metadata: [
    {
      id: 'secret_backend',
      label: 'Name of Secret Backend',
      help_text: 'Where the engine is mounted. Left blank, the first part of the path says it.',
    },
    { id: 'secret_path', label: 'Path to Secret', help_text: 'Such as /path or /some/path.' },
    authPathField,
    { id: 'secret_key', label: 'Key Name', help_text: 'Which of the values of the secret.' },
    { id: 'secret_version', label: 'Secret Version (v2 only)', help_text: 'Left blank, the newest one.' },
  ],
  required: ['url', 'secret_path', 'api_version', 'secret_key'],
  async read(lookup) {
    const { text } = lookup;
    const token = await vaultToken(lookup, account);
    const said = await askFor(lookup, 'the secret', addressOf(lookup), vaultRequest(lookup, {}, token));
    const values = text('api_version') === 'v2' ? within(said, 'data', 'data') : within(said, 'data');
    const value = within(values, text('secret_key'));
    if (value === undefined) throw new Error(`the secret has no value of the name "${text('secret_key')}"`);
    return typeof value === 'string' ? value : JSON.stringify(value);
  },
});

function addressOf({ text }: SecretLookup): string {
  const path = text('secret_path').split('/').filter(Boolean);
  const mount = text('secret_backend') || (path.shift() ?? '');
  const rest = escapedPath(path.join('/'));
  if (text('api_version') === 'v1') return below(text('url'), 'v1', escapedPath(mount), rest);
  const version = text('secret_version') && `?version=${encodeURIComponent(text('secret_version'))}`;
  return below(text('url'), 'v1', escapedPath(mount), 'data', rest) + version;
}

export const hashivaultSsh = (account: NodeAccount): CredentialSource => ({
  namespace: 'hashivault_ssh',
  name: 'HashiCorp Vault Signed SSH',
  description: 'Has a public key signed by the SSH engine of HashiCorp Vault or OpenBao.',
  fields: vaultFields,
  metadata: [
    { id: 'public_key', label: 'Unsigned Public Key', multiline: true },
    { id: 'secret_path', label: 'Path to Secret', help_text: 'Where the SSH engine is mounted.' },
    authPathField,
    { id: 'role', label: 'Role Name', help_text: 'The role that signs.' },
    { id: 'valid_principals', label: 'Valid Principals', help_text: 'Users or hosts the certificate is good for.' },
  ],
  required: ['url', 'secret_path', 'public_key', 'role'],
  async read(lookup) {
    const { text } = lookup;
    const token = await vaultToken(lookup, account);
    const address = below(text('url'), 'v1', escapedPath(text('secret_path')), 'sign', escapedPath(text('role')));
    const asked = {
      public_key: text('public_key'),
      ...(text('valid_principals') && { valid_principals: text('valid_principals') }),
    };
    const said = await askFor(lookup, 'the signature', address, vaultRequest(lookup, json(asked), token));
    return textWithin('the signature', said, 'data', 'signed_key');
  },
});
