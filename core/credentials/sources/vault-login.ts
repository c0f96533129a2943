import { readFile } from 'node:fs/promises';
import type { HttpRequest, SecretLookup, SourceField } from '@tapline/plugin-sdk';
import { isOnHosts } from '../../outbound/addresses.ts';
import { askFor, below, escapedPath, json, textWithin } from './json.ts';

/** How a server of the protocol of HashiCorp Vault (OpenBao speaks it too) is logged in to. */
export const vaultFields: readonly SourceField[] = [
  { id: 'url', label: 'Server URL', format: 'url', help_text: 'The address of the vault.' },
  { id: 'token', label: 'Token', secret: true, help_text: 'In place of every other way to log in.' },
  {
    id: 'cacert',
    label: 'CA Certificate',
    multiline: true,
    help_text: 'The authority that signed the certificate of the vault, in PEM form.',
  },
  { id: 'role_id', label: 'AppRole role_id' },
  { id: 'secret_id', label: 'AppRole secret_id', secret: true },
  {
    id: 'client_cert_public',
    label: 'Client Certificate',
    multiline: true,
    help_text: 'For the method cert, in PEM form.',
  },
  { id: 'client_cert_private', label: 'Client Certificate Key', multiline: true, secret: true },
  { id: 'client_cert_role', label: 'TLS Authentication Role', help_text: 'Left blank, the vault finds one that fits.' },
  { id: 'namespace', label: 'Namespace name', help_text: 'Of vaults that have several.' },
  {
    id: 'kubernetes_role',
    label: 'Kubernetes role',
    help_text:
      'To log in by the service account under which this service runs in a cluster, where an administrator lets it: VAULT_KUBERNETES_HOSTS.',
  },
  { id: 'username', label: 'Username', help_text: 'For the methods userpass and ldap.' },
  { id: 'password', label: 'Password', secret: true },
  {
    id: 'default_auth_path',
    label: 'Path to Auth',
    default: 'approle',
    help_text: 'Where the way to log in is mounted, where the link says nothing.',
  },
];

export const authPathField: SourceField = {
  id: 'auth_path',
  label: 'Path to Auth',
  help_text: 'Where the way to log in is mounted, such as approle.',
};

/** The account that this node has in a cluster: whoever may make credentials could else have its token sent to themselves. */
export interface NodeAccount {
  tokenFile: string;
  /** of the vaults that it may be shown to, as `isOnHosts` takes them */
  hosts(): readonly string[];
}

/** Options of a request that knows the vault: its authority, the client's certificate, the namespace. */
export function vaultRequest(lookup: SecretLookup, request: HttpRequest, token = ''): HttpRequest {
  const { text } = lookup;
  return {
    ...request,
    headers: {
      ...request.headers,
      'x-vault-request': 'true',
      ...(text('namespace') && { 'x-vault-namespace': text('namespace') }),
      ...(token && { 'x-vault-token': token }),
    },
    tls: {
      ...(text('cacert') && { ca: text('cacert') }),
      ...(text('client_cert_public') && { cert: text('client_cert_public'), key: text('client_cert_private') }),
    },
  };
}

/** A token of the vault, by the first way to log in for which there is all it takes. @throws Error */
export async function vaultToken(lookup: SecretLookup, account: NodeAccount): Promise<string> {
  const { text } = lookup;
  if (text('token')) return text('token');
  const way = await wayIn(lookup, account);
  if (!way)
    throw new Error(
      'it has nothing to log in with: give a token, an AppRole, a client certificate, a Kubernetes role or a user',
    );
  const configured = text('default_auth_path');
  // the default is that of one way only
  const mount = text('auth_path') || (configured === 'approle' ? '' : configured) || way.mount;
  const address = below(text('url'), 'v1/auth', escapedPath(mount), 'login', way.path ?? '');
  const said = await askFor(lookup, 'the login', address, vaultRequest(lookup, json(way.body))).catch(
    (error: Error) => {
      throw way.hidden ? new Error(error.message.replaceAll(way.hidden, '**********'), { cause: error }) : error;
    },
  );
  return textWithin('the login', said, 'auth', 'client_token');
}

interface Way {
  mount: string;
  path?: string;
  body: object;
  /** that is no input of the credential: a vault may repeat what it was sent */
  hidden?: string;
}

async function wayIn({ text }: SecretLookup, account: NodeAccount): Promise<Way | undefined> {
  if (text('role_id') && text('secret_id'))
    return { mount: 'approle', body: { role_id: text('role_id'), secret_id: text('secret_id') } };
  if (text('kubernetes_role')) {
    const jwt = await tokenFor(text('url'), account);
    return { mount: 'kubernetes', body: { role: text('kubernetes_role'), jwt }, hidden: jwt };
  }
  if (text('username') && text('password'))
    return { mount: 'userpass', path: encodeURIComponent(text('username')), body: { password: text('password') } };
  if (text('client_cert_public'))
    return { mount: 'cert', body: text('client_cert_role') ? { name: text('client_cert_role') } : {} };
  return undefined;
}

/** @throws Error where the vault is none that an administrator named, or there is no account */
async function tokenFor(url: string, { tokenFile, hosts }: NodeAccount): Promise<string> {
  if (!isOnHosts(url, hosts()))
    throw new Error(
      'this service logs in by its own service account to the vaults of the setting VAULT_KUBERNETES_HOSTS alone, and this is none of them',
    );
  const jwt = await readFile(tokenFile, 'utf8').catch(() => '');
  if (!jwt.trim()) throw new Error('this node has no service account of a Kubernetes cluster to log in with');
  return jwt.trim();
}
