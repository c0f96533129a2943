import type { Knex } from 'knex';
import type { KeyRing } from '../secrets/key-ring.ts';
import { type InputSchema, type Inputs, ask } from './input-schema.ts';
import { readPrivateKey } from './private-key.ts';
import { openInputs } from './stored-inputs.ts';

export interface ResolvedCredential {
  id: number;
  name: string;
  type: {
    id: number;
    name: string;
    kind: string;
    namespace: string | null;
    inputs: InputSchema;
    injectors: Record<string, unknown>;
  };
  /** decrypted; defaults of the type filled in; inputs to be asked for hold `ASK` */
  inputs: Inputs;
  /** inputs that are looked up elsewhere when a run starts */
  links: Link[];
  /** labels of required inputs that are blank and not looked up */
  missing: string[];
}

export interface Link {
  field: string;
  /** id of the credential that knows where */
  source: number;
  metadata: Inputs;
}

interface StoredCredential {
  id: number;
  name: string;
  inputs: Inputs;
  type_id: number;
  type_name: string;
  kind: string;
  namespace: string | null;
  schema: InputSchema;
  injectors: Record<string, unknown>;
  links: Link[] | null;
}

/** Credentials with their secrets in plain, for the runner. One query; in the order of `ids`. */
export async function loadCredentials(
  db: Knex,
  keyRing: KeyRing,
  ids: readonly number[],
): Promise<ResolvedCredential[]> {
  if (!ids.length) return [];
  const rows: StoredCredential[] = await db('credentials as c')
    .join('credential_types as t', 't.id', 'c.credential_type_id')
    .whereIn('c.id', [...ids])
    .select(
      'c.id',
      'c.name',
      'c.inputs',
      't.id as type_id',
      't.name as type_name',
      't.kind',
      't.namespace',
      't.inputs as schema',
      't.injectors',
      db.raw(
        `(select jsonb_agg(jsonb_build_object('field', s.input_field_name, 'source', s.source_credential_id, 'metadata', s.metadata) order by s.id)
          from credential_input_sources s where s.target_credential_id = c.id) as links`,
      ),
    );
  const found = new Map(rows.map((row) => [row.id, resolved(keyRing, row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

function resolved(keyRing: KeyRing, row: StoredCredential): ResolvedCredential {
  const { schema, links } = row;
  const defaults = (schema.fields ?? []).flatMap((field) =>
    field.default === undefined ? [] : [[field.id, field.default] as const],
  );
  const inputs: Inputs = { ...Object.fromEntries(defaults), ...openInputs(keyRing, schema, row.id, row.inputs) };
  return {
    id: row.id,
    name: row.name,
    type: {
      id: row.type_id,
      name: row.type_name,
      kind: row.kind,
      namespace: row.namespace,
      inputs: schema,
      injectors: row.injectors,
    },
    inputs,
    links: links ?? [],
    missing: missingInputs(schema, inputs, links ?? []),
  };
}

/** Labels of the required inputs that are blank. */
export const missingInputs = (
  { fields = [], required = [] }: InputSchema,
  inputs: Inputs,
  links: readonly Link[] = [],
): string[] =>
  fields
    .filter(({ id }) => required.includes(id) && (inputs[id] === undefined || inputs[id] === ''))
    .filter(({ id }) => !links.some(({ field }) => field === id))
    .map(({ label }) => label);

/** By type of credential, the inputs that it may leave to whoever launches, each with the name of the password that is given for it. */
const passwordsFor: Record<string, Record<string, string>> = {
  ssh: { password: 'ssh_password', become_password: 'become_password', ssh_key_unlock: 'ssh_key_unlock' },
  vault: { vault_password: 'vault_password' },
};

export const askedInputs: readonly string[] = Object.values(passwordsFor).flatMap(Object.keys);

/**
 * The passwords a launch must bring along (contract/jobs.md §7). Works on stored inputs as well:
 * ASK is never encrypted; only a key's need for a passphrase shows in decrypted ones alone.
 */
export function passwordsNeeded(
  credentials: readonly { type: { namespace: string | null }; inputs: Inputs }[],
): string[] {
  const needed = new Set<string>();
  for (const { type, inputs } of credentials) {
    const suffix = type.namespace === 'vault' && inputs.vault_id ? `.${inputs.vault_id}` : '';
    for (const [input, password] of Object.entries(passwordsFor[type.namespace ?? ''] ?? {}))
      if (inputs[input] === ask) needed.add(password + suffix);
    if (type.namespace === 'ssh' && !inputs.ssh_key_unlock && isLockedKey(inputs.ssh_key_data))
      needed.add('ssh_key_unlock');
  }
  return [...needed];
}

function isLockedKey(text: unknown): boolean {
  try {
    return typeof text === 'string' && readPrivateKey(text).encrypted;
  } catch {
    return false;
  }
}
