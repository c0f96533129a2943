import { saysWhatIsWrong, SpecError } from '@tapline/plugin-sdk';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ResolvedCredential } from '../resolve.ts';
import type { Given } from '../types/managed-type.ts';
import { type Injectors, labelOf, type Piece, piecesOf, replaced, type Templates } from './injectors.ts';
import { givenValue } from './values.ts';

/** For the templates of all credentials of a run together. */
const limits = { timeoutMs: 2000, maxOutput: 1_048_576 };

type PathOf = (credential: number, label: string) => string;

/** The injectors of users' types, rendered in one call. @throws SpecError */
export async function renderInjectors(
  sandbox: Pick<Sandbox, 'renderEach'>,
  credentials: readonly ResolvedCredential[],
  pathOf: PathOf,
): Promise<Map<number, Given>> {
  const pieces = credentials.map(({ type }) => piecesOf(type.injectors as Injectors));
  const batch = {
    templates: pieces.flatMap((some, context) => some.map(({ template }) => ({ template, context }))),
    contexts: credentials.map((credential) => contextOf(credential, pathOf)),
  };
  const answers = await sandbox.renderEach(batch, limits).catch((error: unknown) => {
    if (!saysWhatIsWrong(error)) throw error;
    throw new SpecError(
      `The injectors of ${credentials.map(({ name }) => `"${name}"`).join(', ')} could not be rendered: ${error.message}.`,
    );
  });
  let at = 0;
  return new Map(
    credentials.map((credential, index) => {
      const texts = pieces[index]!.map((piece) => textOf(credential, piece, answers[at++]!));
      return [credential.id, assemble(credential.type.injectors as Injectors, texts)];
    }),
  );
}

type Answer = Awaited<ReturnType<Sandbox['renderEach']>>[number];

function textOf({ name, type }: ResolvedCredential, { where }: Piece, answer: Answer): string {
  if ('value' in answer) return answer.value;
  throw new SpecError(
    `Credential "${name}": the injector ${where} of its type "${type.name}" could not be rendered: ${answer.error.message}.`,
  );
}

/** Blank texts are undefined, as templates of other servers expect; booleans never are. */
function contextOf({ id, type, inputs }: ResolvedCredential, pathOf: PathOf): Record<string, unknown> {
  const values = (type.inputs.fields ?? []).flatMap((field) => {
    const value = givenValue(field, inputs);
    return value === '' ? [] : [[field.id, value] as const];
  });
  const keys = Object.keys((type.injectors as Injectors).file ?? {});
  const filename =
    keys.length === 1 && labelOf(keys[0]!) === ''
      ? pathOf(id, labelFor(keys[0]!))
      : Object.fromEntries(keys.map((key) => [labelOf(key), pathOf(id, labelFor(key))]));
  return { ...Object.fromEntries(values), tower: { filename } };
}

/** The file's own name. */
const labelFor = (key: string): string => labelOf(key) || 'file';

function assemble({ file = {}, env = {}, extra_vars: variables = {} }: Injectors, texts: string[]): Given {
  const left = texts.values();
  const next = () => left.next().value!;
  return {
    files: Object.fromEntries(Object.keys(file).map((key) => [labelFor(key), next()])),
    env: Object.fromEntries(Object.keys(env).map((name) => [name, next()])),
    extraVars: replaced(variables as Templates, next) as Record<string, unknown>,
  };
}
