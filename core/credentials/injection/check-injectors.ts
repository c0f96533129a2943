import { saysWhatIsWrong, ValidationError } from '@tapline/plugin-sdk';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { InputSchema } from '../input-schema.ts';
import { type Injectors, labelOf, type Piece, piecesOf } from './injectors.ts';

const limits = { timeoutMs: 2000, maxOutput: 1_048_576 };
const mostMessages = 20;

/**
 * Judges the templates of a type without running them: they parse, and read nothing but its fields and the paths of its
 * files. Of what is wrong the text says where.
 * @throws ValidationError
 */
export async function checkTemplates(
  sandbox: Pick<Sandbox, 'inspectEach'>,
  injectors: Injectors,
  schema: InputSchema,
): Promise<void> {
  const pieces = piecesOf(injectors);
  if (!pieces.length) return;
  const answers = await sandbox
    .inspectEach(
      pieces.map(({ template }) => template),
      limits,
    )
    .catch((error: unknown) => {
      if (!saysWhatIsWrong(error)) throw error;
      throw ValidationError.field('injectors', `The templates could not be judged: ${error.message}.`);
    });
  const allowed = readable(injectors, schema);
  const problems = pieces.flatMap((piece, index) => {
    const answer = answers[index]!;
    if ('error' in answer) return [`${piece.where}: ${answer.error.message}`];
    return answer.value.reads.flatMap((path) => allowed(piece, path) ?? []);
  });
  if (problems.length) throw new ValidationError({ injectors: problems.slice(0, mostMessages) });
}

/** Tells what is wrong with reading a path in a template; undefined when nothing is. */
function readable({ file = {} }: Injectors, { fields = [] }: InputSchema) {
  const names = new Set(fields.map(({ id }) => id));
  const labels = Object.keys(file).map(labelOf);
  const paths = labels.map((label) => (label ? `tower.filename.${label}` : 'tower.filename'));
  return ({ where }: Piece, path: string): string | undefined => {
    const [name] = path.split('.');
    if (names.has(name!)) return undefined;
    if (name !== 'tower') return `${where}: '${name}' is undefined: it is no field of this type`;
    if (where.startsWith('file.')) return `${where}: a file cannot hold the path of a file`;
    if (paths.some((known) => path === known || path.startsWith(`${known}.`))) return undefined;
    return `${where}: '${path}' is undefined: there is no such file`;
  };
}
