import type { InputField } from '../input-schema.ts';
import { host, passphrase, password, privateKey, username, verifySsl } from './fields.ts';
import type { ManagedType } from './managed-type.ts';

/** Types that get content: of projects, of collections, of images, and tell hosts of source code about it. */
export const sourceControlType: ManagedType = {
  namespace: 'scm',
  kind: 'scm',
  name: 'Source Control',
  description: 'Fetches the content of projects.',
  inputs: { fields: [username, password, privateKey, passphrase] },
};

export const galaxyType: ManagedType = {
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
};

export const registryType: ManagedType = {
  namespace: 'registry',
  kind: 'registry',
  name: 'Container Registry',
  description: 'Pulls the images of execution environments.',
  inputs: {
    fields: [
      { ...host('Authentication URL', 'The registry that holds the images.'), default: 'quay.io' },
      username,
      { ...password, label: 'Password or Token', help_text: 'The password or an access token of the user.' },
      { ...verifySsl, default: true },
    ],
    required: ['host'],
  },
};

export const gpgKeyType: ManagedType = {
  namespace: 'gpg_public_key',
  kind: 'cryptography',
  name: 'GPG Public Key',
  description: 'Proves who signed the content of a project.',
  inputs: {
    fields: [
      {
        id: 'gpg_public_key',
        label: 'GPG Public Key',
        type: 'string',
        secret: true,
        multiline: true,
        help_text: 'In ASCII armour, from its BEGIN line to its END line. It may hold several keys.',
      },
    ],
    required: ['gpg_public_key'],
  },
};

const token = (help_text: string): InputField => ({
  id: 'token',
  label: 'Token',
  type: 'string',
  secret: true,
  help_text,
});

const tokenType = (namespace: string, name: string, help: string): ManagedType => ({
  namespace,
  kind: 'token',
  name,
  description: 'Reports the status of jobs that a webhook started.',
  inputs: { fields: [token(help)], required: ['token'] },
});

export const githubTokenType = tokenType(
  'github_token',
  'GitHub Personal Access Token',
  'A token that may write commit statuses; it is made in the developer settings of the profile.',
);
export const gitlabTokenType = tokenType(
  'gitlab_token',
  'GitLab Personal Access Token',
  'A token with the scope "api"; it is made in the access tokens of the profile.',
);
export const bitbucketTokenType = tokenType(
  'bitbucket_dc_token',
  'Bitbucket Data Center HTTP Access Token',
  'A token that may write to the repository; it is made in the settings of the account.',
);
