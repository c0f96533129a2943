import { readFile } from 'node:fs/promises';
import type { HttpRequest, SecretLookup, SourceField } from '@tapline/plugin-sdk';
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
    help_text: 'To log in by the service account under which this service runs in a cluster.',
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

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount/token';

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
export async function vaultToken(lookup: SecretLookup): Promise<string> {
  const { text } = lookup;
  if (text('token')) return text('token');
  const way = await wayIn(lookup);
  if (!way)
    throw new Error(
      'it has nothing to log in with: give a token, an AppRole, a client certificate, a Kubernetes role or a user',
    );
  const configured = text('default_auth_path');
  // the default is that of one way only
  const mount = text('auth_path') || (configured === 'approle' ? '' : configured) || way.mount;
  const address = below(text('url'), 'v1/auth', escapedPath(mount), 'login', way.path ?? '');
  const said = await askFor(lookup, 'the login', address, vaultRequest(lookup, json(way.body)));
  return textWithin('the login', said, 'auth', 'client_token');
}

interface Way {
  mount: string;
  path?: string;
  body: object;
}

async function wayIn({ text }: SecretLookup): Promise<Way | undefined> {
  if (text('role_id') && text('secret_id'))
    return { mount: 'approle', body: { role_id: text('role_id'), secret_id: text('secret_id') } };
  if (text('kubernetes_role')) {
    const jwt = await readFile(serviceAccount, 'utf8').catch(() => {
      throw new Error('this node has no service account of a Kubernetes cluster to log in with');
    });
    return { mount: 'kubernetes', body: { role: text('kubernetes_role'), jwt } };
  }
  if (text('username') && text('password'))
    return { mount: 'userpass', path: encodeURIComponent(text('username')), body: { password: text('password') } };
  if (text('client_cert_public'))
    return { mount: 'cert', body: text('client_cert_role') ? { name: text('client_cert_role') } : {} };
  return undefined;
}
