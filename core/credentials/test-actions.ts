import { type Action, ApiError, field, forbidden, type Row, type Rule, ValidationError } from '@tapline/plugin-sdk';
import { checkInputs } from './check-inputs.ts';
import { checkMetadata } from './check-input-source.ts';
import type { InputSchema, Inputs } from './input-schema.ts';
import { masked } from '../secrets/masked.ts';
import { type LookupDeps, readSecret } from './lookups.ts';
import { loadCredentials, type ResolvedCredential } from './resolve.ts';

const fields = {
  inputs: field.json({ help: 'In place of those that are stored.' }),
  metadata: field.json({ help: 'Which secret to look up.' }),
};

type Asked = Pick<ResolvedCredential, 'type' | 'inputs'>;

/** Looks a secret up and says whether that went well; never what it is. */
async function attempt(
  deps: LookupDeps,
  asked: Asked,
  given: Record<string, unknown>,
): Promise<{ status: number; body: object }> {
  const { metadata, problems } = checkMetadata(asked.type.inputs, given);
  if (problems) throw new ValidationError({ metadata: problems as string[] });
  try {
    await readSecret(deps, asked, metadata);
  } catch (error) {
    throw new ApiError(400, { inputs: (error as Error).message });
  }
  return { status: 202, body: {} };
}

const answers: Action['answers'] = { POST: { status: 202, fields: {} } };

const notExternal = () => new ApiError(400, 'Only credentials that look up secrets elsewhere can be tested.');

/** `credentials/N/test/`: whoever may use it; other inputs take the right to change it, or its secrets could be sent anywhere. */
export const testCredentialAction = (deps: LookupDeps, rules: { use: Rule; change: Rule }): Action => ({
  access: { POST: rules.use },
  summary: 'Look a secret up, to see whether that works',
  related: false,
  fields,
  answers,
  async handler({ actor, body }, row: Row) {
    const [credential] = await loadCredentials(deps.db, deps.keyRing, [row.id]);
    if (credential?.type.kind !== 'external') throw notExternal();
    const other = (body['inputs'] ?? {}) as Record<string, unknown>;
    const changed = Object.fromEntries(
      Object.entries(other).filter(([id, value]) => value !== masked && value !== credential.inputs[id]),
    );
    if (Object.keys(changed).length && !(await rules.change.row(actor, row, deps.db)))
      throw forbidden('Other inputs than the stored ones take the right to change the credential.');
    const inputs = await judged(credential.type.inputs, changed, credential.inputs);
    return attempt(deps, { ...credential, inputs }, (body['metadata'] ?? {}) as Record<string, unknown>);
  },
});

const judged = async (schema: InputSchema, sent: Record<string, unknown>, stored: Inputs): Promise<Inputs> => ({
  ...stored,
  ...(await checkInputs({ schema, sent, stored: null })),
});

/** `credential_types/N/test/`: all inputs are given. */
export const testTypeAction = (deps: LookupDeps, rules: { change: Rule }): Action => ({
  access: { POST: rules.change },
  summary: 'Look a secret up with these inputs, to see whether that works',
  related: false,
  fields,
  answers,
  async handler({ body }, row: Row) {
    const { name, kind, namespace, inputs: schema } = row as Row & Asked['type'];
    if (kind !== 'external') throw notExternal();
    const type = { id: row.id, name, kind, namespace, inputs: schema, injectors: {} };
    const inputs = await judged(schema, (body['inputs'] ?? {}) as Record<string, unknown>, {});
    return attempt(deps, { type, inputs }, (body['metadata'] ?? {}) as Record<string, unknown>);
  },
});
