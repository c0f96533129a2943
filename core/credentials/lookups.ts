import { type CredentialSource, type HttpService, inTime, type SecretLookup, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { KeyRing } from '../secrets/key-ring.ts';
import { maxLength } from './check-inputs.ts';
import type { InputField, Inputs } from './input-schema.ts';
import { type Link, loadCredentials, missingInputs, type ResolvedCredential } from './resolve.ts';
import { secretsOf } from './secrets-of.ts';
import type { CredentialSources } from './sources/registry.ts';

export interface LookupDeps {
  db: Knex;
  keyRing: KeyRing;
  outbound: HttpService;
  credentialSources: CredentialSources;
}

/** For one secret, whatever it takes. */
const lookupMs = 20_000;
const longestAnswer = 1_048_576;
const tooLate = () => new Error('it did not answer in time');

/**
 * Gives the linked inputs of credentials their values, from wherever they are kept. Nothing of it is stored.
 * @throws SpecError naming credential, input and source
 */
export async function lookUpInputs(
  deps: LookupDeps,
  credentials: readonly ResolvedCredential[],
): Promise<ResolvedCredential[]> {
  const ids = [...new Set(credentials.flatMap(({ links }) => links.map(({ source }) => source)))];
  if (!ids.length) return [...credentials];
  const sources = new Map((await loadCredentials(deps.db, deps.keyRing, ids)).map((source) => [source.id, source]));
  // the same secret is asked for once
  const asked = new Map<string, Promise<string>>();
  const valueOf = (link: Link) => {
    const key = JSON.stringify([link.source, link.metadata]);
    const value = asked.get(key) ?? readSecret(deps, sources.get(link.source), link.metadata);
    asked.set(key, value);
    return value;
  };
  return Promise.all(credentials.map((credential) => withLinks(credential, sources, valueOf)));
}

async function withLinks(
  credential: ResolvedCredential,
  sources: ReadonlyMap<number, ResolvedCredential>,
  valueOf: (link: Link) => Promise<string>,
): Promise<ResolvedCredential> {
  const { name, type, links } = credential;
  if (!links.length) return credential;
  const found = await Promise.all(
    links.map(async (link) => {
      const field = type.inputs.fields?.find(({ id }) => id === link.field);
      try {
        return [link.field, converted(field, await valueOf(link))] as const;
      } catch (error) {
        const from = sources.get(link.source)?.name ?? 'a credential that is gone';
        throw new SpecError(
          `Credential "${name}": its ${field?.label ?? link.field} could not be looked up by "${from}": ${(error as Error).message}.`,
        );
      }
    }),
  );
  const inputs = { ...credential.inputs, ...Object.fromEntries(found) };
  return { ...credential, inputs, missing: missingInputs(type.inputs, inputs) };
}

function converted(field: InputField | undefined, value: string): string | boolean {
  if (field?.type === 'boolean') return /^(true|yes|on|1)$/i.test(value.trim());
  return field?.format === 'ssh_private_key' ? value.trim().replaceAll('\r\n', '\n') : value;
}

/** Looks one secret up. @throws Error with a text for people, without a secret in it */
export async function readSecret(
  { outbound, credentialSources }: Pick<LookupDeps, 'outbound' | 'credentialSources'>,
  credential: Pick<ResolvedCredential, 'type' | 'inputs'> | undefined,
  metadata: Inputs,
): Promise<string> {
  if (!credential) throw new Error('the credential is gone');
  const source = credentialSources.find(credential.type.namespace);
  if (!source) throw new Error(`nothing here knows how to ask a ${credential.type.name}`);
  try {
    const lookup = lookupOf(source, credential.inputs, metadata, outbound);
    // one of a plugin may wait for something else than its requests
    return checked(await inTime(() => source.read(lookup), { ms: lookupMs + 1000, late: tooLate }));
  } catch (error) {
    throw new Error(withoutSecrets(error, secretsOf(credential)), { cause: error });
  }
}

function lookupOf(source: CredentialSource, inputs: Inputs, metadata: Inputs, http: HttpService): SecretLookup {
  const fields = [...source.fields, ...source.metadata];
  const values = new Map(
    fields.map(({ id, default: otherwise = '' }) => [id, metadata[id] || inputs[id] || otherwise] as const),
  );
  // a flag that is off is said
  for (const { id, type } of source.fields) if (type === 'boolean' && inputs[id] === false) values.set(id, false);
  const lacking = fields.filter(
    ({ id, type }) => type !== 'boolean' && source.required.includes(id) && !values.get(id),
  );
  if (lacking.length) throw new Error(`it lacks ${lacking.map(({ label }) => label).join(', ')}`);
  const until = performance.now() + lookupMs;
  return {
    text: (id) => String(values.get(id) || ''),
    flag: (id) => values.get(id) === true,
    http: {
      request(url, options = {}) {
        const left = Math.max(1, Math.ceil(until - performance.now()));
        return http.request(url, { maxBytes: longestAnswer, ...options, timeoutMs: Math.min(left, lookupMs) });
      },
    },
  };
}

function checked(value: unknown): string {
  if (typeof value !== 'string') throw new Error('it was answered with something that is no text');
  if (value.length > maxLength) throw new Error(`it has more than ${maxLength} characters`);
  if (value.includes('\0') || !value.isWellFormed()) throw new Error('it holds characters that are not allowed');
  return value;
}

/** Shorter ones would black out ordinary words and so tell more than they hide. */
const shortest = 4;

/** A server may repeat what it was sent. */
const withoutSecrets = (error: unknown, secrets: readonly string[]): string =>
  secrets
    .filter(({ length }) => length >= shortest)
    .reduce((text, secret) => text.replaceAll(secret, '**********'), (error as Error).message)
    .replace(/\.$/, '');

/** What was looked up of them and must never be shown: kept nowhere but with the run, as long as it runs. */
export const lookedUpSecrets = (credentials: readonly ResolvedCredential[]): string[] =>
  credentials.flatMap(({ links, type, inputs }) =>
    secretsOf({
      type,
      inputs: Object.fromEntries(Object.entries(inputs).filter(([id]) => links.some(({ field }) => field === id))),
    }),
  );
