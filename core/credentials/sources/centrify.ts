import type { CredentialSource, SecretLookup } from '@tapline/plugin-sdk';
import { askFor, below, form, json, textWithin, within } from './json.ts';

const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const centrifyVault: CredentialSource = {
  namespace: 'centrify_vault_kv',
  name: 'Centrify Vault Credential Provider Lookup',
  description: 'Checks passwords of accounts out of the Centrify (Delinea) vault.',
  fields: [
    { id: 'url', label: 'Centrify Tenant URL', format: 'url' },
    { id: 'client_id', label: 'Centrify API User' },
    { id: 'client_password', label: 'Centrify API Password', secret: true },
    { id: 'oauth_application_id', label: 'OAuth2 Application ID', default: 'awx' },
    { id: 'oauth_scope', label: 'OAuth2 Scope', default: 'awx' },
  ],
  metadata: [
    { id: 'account-name', label: 'Account Name', help_text: 'The local account of the system.' },
    { id: 'system-name', label: 'System Name', help_text: 'As it was enrolled in the vault.' },
  ],
  required: ['url', 'client_id', 'client_password', 'account-name', 'system-name'],
  async read(lookup) {
    const { text } = lookup;
    const headers = {
      authorization: `Bearer ${await tokenOf(lookup)}`,
      'x-centrify-native-client': 'true',
    };
    const script = `Select ID from VaultAccount where Name = ${sqlText(text('system-name'))} and User = ${sqlText(text('account-name'))}`;
    const found = await asked(lookup, 'the account', 'Redrock/query', { Script: script }, headers);
    const id = textWithin('the account', found, 'Result', 'Results', 0, 'Row', 'ID');
    const said = await asked(lookup, 'the password', 'ServerManage/CheckoutPassword', { ID: id }, headers);
    return textWithin('the password', said, 'Result', 'Password');
  },
};

async function tokenOf(lookup: SecretLookup): Promise<string> {
  const { text } = lookup;
  const login = Buffer.from(`${text('client_id')}:${text('client_password')}`).toString('base64');
  const application = encodeURIComponent(text('oauth_application_id') || 'awx');
  const grant = form(
    { grant_type: 'client_credentials', scope: text('oauth_scope') || 'awx' },
    { authorization: `Basic ${login}` },
  );
  const said = await askFor(lookup, 'the login', below(text('url'), 'oauth2/token', application), grant);
  return textWithin('the login', said, 'access_token');
}

/** It answers 200 whatever became of it. */
async function asked(
  lookup: SecretLookup,
  what: string,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<unknown> {
  const said = await askFor(lookup, what, below(lookup.text('url'), path), json(body, headers));
  if (within(said, 'success') === false)
    throw new Error(`${what} was refused: ${String(within(said, 'Message') ?? 'no reason was given').slice(0, 300)}`);
  return said;
}
