import { type ExecSpec, literal } from '@tapline/plugin-sdk';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { variableEntry, variablesFile } from '../../yaml/engine-variables.ts';
import { managedType } from '../managed-types.ts';
import type { ResolvedCredential } from '../resolve.ts';
import { secretsOf } from '../secrets-of.ts';
import type { Given, Giving } from '../types/managed-type.ts';
import { renderInjectors } from './render-injectors.ts';
import { givenValue } from './values.ts';

/** What a run takes of its credentials. Variables of the run's own win over `env`. */
export interface Injection {
  env: Record<string, string>;
  /** for the engine: the file with their variables */
  argv: string[];
  /** all of them below env/credentials/ */
  files: ExecSpec['files'];
  sshKeys: ExecSpec['sshKeys'];
  /** texts that must never be shown */
  secrets: string[];
}

export const noInjection: Injection = { env: {}, argv: [], files: [], sshKeys: [], secrets: [] };

/** Stands for the workspace until all is put together: no text of a user holds a NUL. */
const workspace = '\0workspace\0';
const folder = 'env/credentials';

/** For texts in which the executor puts the workspace's path. */
const placed = (text: string): string => literal(text).replaceAll(workspace, '{workspace}');

/**
 * Applies what the types of the credentials say of environment, variables and files. Inventories are read without
 * variables: `use: 'inventory'`.
 * @throws SpecError naming the credential and the injector that cannot be rendered
 */
export async function injectCredentials(
  { sandbox }: { sandbox: Pick<Sandbox, 'renderEach'> },
  credentials: readonly ResolvedCredential[],
  use: Giving['use'] = 'play',
): Promise<Injection> {
  const own = credentials.filter(({ type }) => hasInjectors(type));
  const rendered = own.length ? await renderInjectors(sandbox, own, pathOf) : new Map<number, Given>();
  const all = credentials.map((credential) => ({
    credential,
    given: rendered.get(credential.id) ?? givenByType(credential, use),
  }));
  const variables = use === 'play' ? all.flatMap(({ given }) => Object.entries(given.extraVars ?? {})) : [];
  const files = all.flatMap(({ credential, given }) =>
    Object.entries(given.files ?? {}).map(([label, content]) => ({ path: place(credential.id, label), content })),
  );
  return {
    env: Object.fromEntries(
      all.flatMap(({ given }) => Object.entries(given.env ?? {}).map(([name, value]) => [name, placed(value)])),
    ),
    argv: variables.length ? ['-e', `@{workspace}/${folder}/variables.yml`] : [],
    files: [...files, ...(variables.length ? [variablesOf(variables)] : [])],
    sshKeys: all.flatMap(({ given }) => given.sshKeys ?? []),
    secrets: credentials.flatMap(secretsOf),
  };
}

const hasInjectors = ({ injectors }: ResolvedCredential['type']) => Object.keys(injectors).length > 0;

const place = (id: number, label: string): string => `${folder}/${id}/${label}`;
const pathOf = (id: number, label: string): string => `${workspace}/${place(id, label)}`;

function givenByType({ id, type, inputs }: ResolvedCredential, use: Giving['use']): Given {
  const give = type.namespace === null ? undefined : managedType(type.namespace)?.give;
  if (!give) return {};
  const values = new Map((type.inputs.fields ?? []).map((field) => [field.id, givenValue(field, inputs)]));
  return give({
    text: (name) => String(values.get(name) || ''),
    flag: (name) => values.get(name) === true,
    file: (label) => pathOf(id, label),
    use,
  });
}

/** Whoever has a credential put into a run writes no expressions by it. */
const variablesOf = (variables: [string, unknown][]): ExecSpec['files'][number] => ({
  path: `${folder}/variables.yml`,
  // in JSON's quotes a NUL is written out
  content: placed(
    variablesFile([...new Map(variables)].map(([name, value]) => variableEntry(name, value, true))).replaceAll(
      JSON.stringify(workspace).slice(1, -1),
      workspace,
    ),
  ),
  expand: 'json',
});
