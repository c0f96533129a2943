import type { CredentialSource, SourceField } from '@tapline/plugin-sdk';
import { managedType } from '../managed-types.ts';
import type { ManagedType } from '../types/managed-type.ts';
import { centrifyVault } from './centrify.ts';
import { awsSecretsManager, azureKeyVault, githubApp, googleSecretManager } from './clouds.ts';
import { centralCredentialProvider, conjur } from './cyberark.ts';
import { devopsSecretsVault, secretServer } from './delinea.ts';
import { hashivaultKv, hashivaultSsh } from './hashivault.ts';
import type { NodeAccount } from './vault-login.ts';

/** Places of secrets that come with the service, one line each (contract §11.2). */
const own = (account: NodeAccount): readonly CredentialSource[] => [
  hashivaultKv(account),
  hashivaultSsh(account),
  centralCredentialProvider,
  conjur,
  azureKeyVault,
  centrifyVault,
  devopsSecretsVault,
  secretServer,
  awsSecretsManager,
  githubApp,
  googleSecretManager,
];

const noAccount: NodeAccount = { tokenFile: '', hosts: () => [] };

/** All places that secrets can be looked up in. */
export class CredentialSources {
  readonly #byNamespace: ReadonlyMap<string, CredentialSource>;

  /** @throws Error where two have one name */
  constructor(offered: readonly CredentialSource[] = [], account = noAccount) {
    const all = [...own(account), ...offered];
    const names = all.map(({ namespace }) => namespace);
    const twice = names.find((name, index) => names.indexOf(name) !== index || managedType(name));
    if (twice) throw new Error(`two types of credentials have the namespace "${twice}": give one another name`);
    this.#byNamespace = new Map(all.map((source) => [source.namespace, source]));
  }

  find(namespace: string | null): CredentialSource | undefined {
    return this.#byNamespace.get(namespace ?? '');
  }

  /** The types that their credentials have. */
  types(): ManagedType[] {
    return [...this.#byNamespace.values()].map(({ namespace, name, description, fields, metadata, required }) => ({
      namespace,
      kind: 'external',
      name,
      description,
      inputs: { fields: fields.map(typed), metadata: metadata.map(typed), required: [...required] },
    }));
  }
}

const typed = ({ id, label, type = 'string', ...more }: SourceField) => ({ id, label, type, ...more });
