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
    injectors: Record<string, any>;
  };
  /** decrypted; defaults of the type filled in; inputs to be asked for hold `ASK` */
  inputs: Inputs;
  /** labels of required inputs that are blank */
  missing: string[];
}

/** Credentials with their secrets in plain, for the runner. One query; in the order of `ids`. */
export async function loadCredentials(
  db: Knex,
  keyRing: KeyRing,
  ids: readonly number[],
): Promise<ResolvedCredential[]> {
  if (!ids.length) return [];
  const rows = await db('credentials as c')
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
    );
  const found = new Map(rows.map((row) => [row.id, resolved(keyRing, row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

function resolved(keyRing: KeyRing, row: any): ResolvedCredential {
  const schema: InputSchema = row.schema;
  const defaults = (schema.fields ?? []).flatMap((field) =>
    field.default === undefined ? [] : [[field.id, field.default] as const],
  );
  const inputs: Inputs = { ...Object.fromEntries(defaults), ...openInputs(keyRing, schema, row.id, row.inputs) };
  const label = (id: string) => schema.fields?.find((field) => field.id === id)?.label ?? id;
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
    missing: (schema.required ?? []).filter((id) => inputs[id] === undefined || inputs[id] === '').map(label),
  };
}

/**
 * The passwords a launch must bring along (contract/jobs.md §7). Works on stored inputs as well:
 * ASK is never encrypted; only a key's need for a passphrase shows in decrypted ones alone.
 */
export function passwordsNeeded(
  credentials: readonly { type: { namespace: string | null }; inputs: Inputs }[],
): string[] {
  const needed = new Set<string>();
  for (const { type, inputs } of credentials) {
    if (type.namespace === 'ssh') {
      if (inputs.password === ask) needed.add('ssh_password');
      if (inputs.become_password === ask) needed.add('become_password');
      if (inputs.ssh_key_unlock === ask || (!inputs.ssh_key_unlock && isLockedKey(inputs.ssh_key_data)))
        needed.add('ssh_key_unlock');
    } else if (type.namespace === 'vault' && inputs.vault_password === ask) {
      needed.add(inputs.vault_id ? `vault_password.${inputs.vault_id}` : 'vault_password');
    }
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
