import { createPrivateKey, sign } from 'node:crypto';
import type { CredentialSource, SecretLookup } from '@tapline/plugin-sdk';
import aws4 from 'aws4';
import { askFor, below, form, json, textWithin, within } from './json.ts';

/** Where each of the clouds logs in, and the name its vaults go by. */
const azureClouds: Record<string, { login: string; vaults: string }> = {
  AzureCloud: { login: 'https://login.microsoftonline.com', vaults: 'https://vault.azure.net' },
  AzureChinaCloud: { login: 'https://login.chinacloudapi.cn', vaults: 'https://vault.azure.cn' },
  AzureUSGovernment: { login: 'https://login.microsoftonline.us', vaults: 'https://vault.usgovcloudapi.net' },
  AzureGermanCloud: { login: 'https://login.microsoftonline.de', vaults: 'https://vault.microsoftazure.de' },
};

export const azureKeyVault: CredentialSource = {
  namespace: 'azure_kv',
  name: 'Microsoft Azure Key Vault',
  description: 'Reads secrets of a Microsoft Azure Key Vault.',
  fields: [
    { id: 'url', label: 'Vault URL (DNS Name)', format: 'url' },
    { id: 'client', label: 'Client ID' },
    { id: 'secret', label: 'Client Secret', secret: true },
    { id: 'tenant', label: 'Tenant ID' },
    { id: 'cloud_name', label: 'Cloud Environment', choices: Object.keys(azureClouds), default: 'AzureCloud' },
  ],
  metadata: [
    { id: 'secret_field', label: 'Secret Name', help_text: 'The name of the secret in the vault.' },
    { id: 'secret_version', label: 'Secret Version', help_text: 'Left blank, the newest one.' },
  ],
  required: ['url', 'client', 'secret', 'tenant', 'secret_field'],
  async read(lookup) {
    const { text } = lookup;
    const { login, vaults } = azureClouds[text('cloud_name')] ?? azureClouds['AzureCloud']!;
    const grant = form({
      grant_type: 'client_credentials',
      client_id: text('client'),
      client_secret: text('secret'),
      scope: `${vaults}/.default`,
    });
    const address = below(login, encodeURIComponent(text('tenant')), 'oauth2/v2.0/token');
    const token = textWithin('the login', await askFor(lookup, 'the login', address, grant), 'access_token');
    const names = [text('secret_field'), text('secret_version')].filter(Boolean).map(encodeURIComponent);
    const said = await askFor(lookup, 'the secret', `${below(text('url'), 'secrets', ...names)}?api-version=7.4`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return textWithin('the secret', said, 'value');
  },
};

export const awsSecretsManager: CredentialSource = {
  namespace: 'aws_secretsmanager_credential',
  name: 'AWS Secrets Manager lookup',
  description: 'Reads secrets of AWS Secrets Manager.',
  fields: [
    { id: 'aws_access_key', label: 'AWS Access Key' },
    { id: 'aws_secret_key', label: 'AWS Secret Key', secret: true },
  ],
  metadata: [
    { id: 'region_name', label: 'AWS Secrets Manager Region' },
    { id: 'secret_name', label: 'AWS Secret Name' },
  ],
  required: ['aws_access_key', 'aws_secret_key', 'region_name', 'secret_name'],
  async read(lookup) {
    const { text } = lookup;
    const region = text('region_name');
    // it becomes part of a host name
    if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new Error(`"${region.slice(0, 40)}" is no region`);
    const host = `secretsmanager.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    const body = JSON.stringify({ SecretId: text('secret_name') });
    const signed = aws4.sign(
      {
        host,
        region,
        service: 'secretsmanager',
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
        body,
      },
      { accessKeyId: text('aws_access_key'), secretAccessKey: text('aws_secret_key') },
    );
    const { Host: _host, 'Content-Length': _length, ...headers } = signed.headers as Record<string, string>;
    const said = await askFor(lookup, 'the secret', `https://${host}/`, { method: 'POST', headers, body });
    const binary = within(said, 'SecretBinary');
    if (typeof binary === 'string') return Buffer.from(binary, 'base64').toString('utf8');
    return textWithin('the secret', said, 'SecretString');
  },
};

export const googleSecretManager: CredentialSource = {
  namespace: 'gcp_secret_manager',
  name: 'Google Cloud Secret Manager',
  description: 'Reads secrets of Google Cloud by a service account.',
  fields: [
    {
      id: 'service_account',
      label: 'Service Account JSON',
      secret: true,
      multiline: true,
      help_text: 'The key file of an account that may access secrets.',
    },
  ],
  metadata: [
    { id: 'project', label: 'Project', help_text: "Left blank, the service account's own." },
    { id: 'secret_name', label: 'Secret Name' },
    { id: 'secret_version', label: 'Secret Version', default: 'latest' },
  ],
  required: ['service_account', 'secret_name'],
  async read(lookup) {
    const { text } = lookup;
    const account = accountOf(lookup);
    const token = await googleToken(lookup, account);
    const parts = {
      projects: text('project') || String(account['project_id'] ?? ''),
      secrets: text('secret_name'),
      versions: text('secret_version') || 'latest',
    };
    const path = Object.entries(parts).map(([kind, name]) => `${kind}/${encodeURIComponent(name)}`);
    const address = `${below('https://secretmanager.googleapis.com/v1', ...path)}:access`;
    const said = await askFor(lookup, 'the secret', address, { headers: { authorization: `Bearer ${token}` } });
    return Buffer.from(textWithin('the secret', said, 'payload', 'data'), 'base64').toString('utf8');
  },
};

function accountOf({ text }: SecretLookup): Record<string, unknown> {
  try {
    const account: unknown = JSON.parse(text('service_account'));
    if (typeof account === 'object' && account !== null) return account as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new Error('the service account is no JSON object');
}

async function googleToken(lookup: SecretLookup, account: Record<string, unknown>): Promise<string> {
  const audience = 'https://oauth2.googleapis.com/token';
  const now = Math.floor(Date.now() / 1000);
  const assertion = signedClaims(String(account['private_key'] ?? ''), {
    iss: account['client_email'],
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: audience,
    iat: now,
    exp: now + 600,
  });
  const grant = form({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  return textWithin('the login', await askFor(lookup, 'the login', audience, grant), 'access_token');
}

/** A JSON Web Token by RS256 (RFC 7519). @throws Error where the key is none */
export function signedClaims(key: string, claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  try {
    return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey(key)).toString('base64url')}`;
  } catch {
    throw new Error('the private key is none that can sign');
  }
}

export const githubApp: CredentialSource = {
  namespace: 'github_app_lookup',
  name: 'GitHub App Installation Access Token Lookup',
  description: 'Gets the short-lived token of an installation of a GitHub App.',
  fields: [
    {
      id: 'github_api_url',
      label: 'GitHub API endpoint URL',
      format: 'url',
      default: 'https://api.github.com',
      help_text: 'Of an enterprise server: https://its.host/api/v3',
    },
    { id: 'app_or_client_id', label: 'GitHub App ID or Client ID' },
    { id: 'install_id', label: 'GitHub App Installation ID' },
    { id: 'private_rsa_key', label: 'RSA Private Key', secret: true, multiline: true, format: 'ssh_private_key' },
  ],
  metadata: [{ id: 'description', label: 'Description (Optional)', help_text: 'For you: it is sent nowhere.' }],
  required: ['app_or_client_id', 'install_id', 'private_rsa_key'],
  async read(lookup) {
    const { text } = lookup;
    const now = Math.floor(Date.now() / 1000);
    // clocks differ a little
    const claims = { iss: text('app_or_client_id'), iat: now - 60, exp: now + 540 };
    const token = signedClaims(text('private_rsa_key'), claims);
    const installation = encodeURIComponent(text('install_id'));
    const address = below(text('github_api_url'), 'app/installations', installation, 'access_tokens');
    const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' };
    return textWithin('the token', await askFor(lookup, 'the token', address, json({}, headers)), 'token');
  },
};
