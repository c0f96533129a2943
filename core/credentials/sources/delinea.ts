import type { CredentialSource } from '@tapline/plugin-sdk';
import { askFor, below, escapedPath, form, json, textWithin, within } from './json.ts';

export const devopsSecretsVault: CredentialSource = {
  namespace: 'thycotic_dsv',
  name: 'Thycotic DevOps Secrets Vault',
  description: 'Reads secrets of the Thycotic (Delinea) DevOps Secrets Vault.',
  fields: [
    { id: 'tenant', label: 'Tenant', help_text: 'The ex of https://ex.secretsvaultcloud.com' },
    { id: 'tld', label: 'Top-level Domain (TLD)', choices: ['ca', 'com', 'com.au', 'eu'], default: 'com' },
    { id: 'client_id', label: 'Client ID' },
    { id: 'client_secret', label: 'Client Secret', secret: true },
  ],
  metadata: [
    { id: 'path', label: 'Secret Path', help_text: 'Such as /test/secret1' },
    { id: 'secret_field', label: 'Secret Field', help_text: 'Which of the values of the secret.' },
    {
      id: 'secret_decoding',
      label: 'Should the secret be base64 decoded?',
      choices: ['No Decoding', 'Decode Base64'],
      default: 'No Decoding',
    },
  ],
  required: ['tenant', 'client_id', 'client_secret', 'path', 'secret_field', 'secret_decoding'],
  async read(lookup) {
    const { text } = lookup;
    // it becomes part of a host name
    if (!/^[A-Za-z0-9-]{1,63}$/.test(text('tenant'))) throw new Error('the tenant is no name of a host');
    const server = `https://${text('tenant')}.secretsvaultcloud.${text('tld') || 'com'}/v1`;
    const grant = {
      grant_type: 'client_credentials',
      client_id: text('client_id'),
      client_secret: text('client_secret'),
    };
    const login = await askFor(lookup, 'the login', below(server, 'token'), json(grant));
    const headers = { authorization: textWithin('the login', login, 'accessToken') };
    const address = below(server, 'secrets', escapedPath(text('path')));
    const said = await askFor(lookup, 'the secret', address, { headers });
    const value = textWithin('the secret', said, 'data', text('secret_field'));
    return text('secret_decoding') === 'Decode Base64' ? Buffer.from(value, 'base64').toString('utf8') : value;
  },
};

export const secretServer: CredentialSource = {
  namespace: 'thycotic_tss',
  name: 'Thycotic Secret Server',
  description: 'Reads secrets of the Thycotic (Delinea) Secret Server.',
  fields: [
    {
      id: 'server_url',
      label: 'Secret Server URL',
      format: 'url',
      help_text: 'Such as https://server/SecretServer or https://tenant.secretservercloud.com',
    },
    { id: 'username', label: 'Username' },
    { id: 'domain', label: 'Domain' },
    { id: 'password', label: 'Password', secret: true },
  ],
  metadata: [
    { id: 'secret_id', label: 'Secret ID', help_text: 'Its number.' },
    { id: 'secret_field', label: 'Secret Field', help_text: 'The slug of the field.' },
  ],
  required: ['server_url', 'username', 'password', 'secret_id', 'secret_field'],
  async read(lookup) {
    const { text } = lookup;
    const login = await askFor(
      lookup,
      'the login',
      below(text('server_url'), 'oauth2/token'),
      form({
        grant_type: 'password',
        username: text('username'),
        password: text('password'),
        ...(text('domain') && { domain: text('domain') }),
      }),
    );
    const said = await askFor(
      lookup,
      'the secret',
      below(text('server_url'), 'api/v1/secrets', encodeURIComponent(text('secret_id'))),
      { headers: { authorization: `Bearer ${textWithin('the login', login, 'access_token')}` } },
    );
    const items = within(said, 'items');
    const item: unknown = Array.isArray(items) && items.find((one) => within(one, 'slug') === text('secret_field'));
    if (!item) throw new Error(`the secret has no field of the slug "${text('secret_field')}"`);
    return textWithin('the secret', item, 'itemValue');
  },
};
