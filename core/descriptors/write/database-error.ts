import { ApiError, type Resource, ValidationError } from '@tapline/plugin-sdk';
import { AnswerTooLargeError } from '../../db/answers.ts';
import { isOverdue } from '../../db/database-errors.ts';

/** What Postgres says of a refused statement; objection wraps it. */
interface PgError extends Error {
  code?: string;
  constraint?: string;
  column?: string;
  detail?: string;
  nativeError?: PgError;
}

const badValue = new Map([
  ['22001', 'A text is too long.'],
  ['22003', 'A number is out of range.'],
  ['22007', 'A date has a wrong format.'],
  ['22008', 'A date is out of range.'],
  ['22021', 'A text holds a character that cannot be stored.'],
  ['22P02', 'A value has the wrong type.'],
  ['22P05', 'A text holds a character that cannot be stored.'],
  ['2201B', 'A regular expression is malformed.'],
  ['23514', 'A value is not allowed here.'],
  ['54000', 'A value is too large.'],
  ['54001', 'The request is too complex.'],
]);

const isUndecided = (code: string | undefined) => code === '40001' || code === '40P01';

/** Another transaction was in the way: the same again is likely to pass. */
export const isRetryable = (error: unknown) => isUndecided(native(error)?.code);

/** The client's mistake behind a database error, or undefined when it is none of the client's. */
export function toApiError(error: unknown, resource?: Resource): ApiError | undefined {
  if (error instanceof AnswerTooLargeError)
    return new ApiError(
      400,
      `The answer would hold more than the ${error.most} bytes of ANSWER_MAX_BYTES. Ask for less at once, for instance with page_size.`,
    );
  if (isOverdue(error)) return tookTooLong();
  const found = native(error);
  if (!found?.code) return undefined;
  switch (found.code) {
    case '23505':
      return alreadyExists(found, resource);
    case '23503':
      return brokenLink(found);
    case '23502':
      return ValidationError.field(apiName(found.column ?? '__all__'), 'This field may not be null.');
    case '40001':
    case '40P01':
      return new ApiError(503, 'Too many changes of the same objects at once; try again.', { 'Retry-After': '1' });
    case '57014':
      return tookTooLong();
    default: {
      const message = badValue.get(found.code);
      return message ? new ApiError(400, message) : undefined;
    }
  }
}

const tookTooLong = () => new ApiError(503, 'The request took too long in the database.', { 'Retry-After': '5' });

function native(error: unknown): PgError | undefined {
  if (!(error instanceof Error)) return undefined;
  return (error as PgError).nativeError ?? (error as PgError);
}

const apiName = (column: string) => column.replace(/_id$/, '');
const title = (column: string) =>
  apiName(column)
    .split('_')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join(' ');

/** `Key (name, organization_id)=(x, 1) already exists.` names the columns; descriptors may answer better. */
function alreadyExists(error: PgError, resource?: Resource): ApiError {
  const declared = resource?.unique?.[error.constraint ?? ''];
  if (declared) return ValidationError.field(declared.field, declared.message);
  const columns = (/^Key \((.+?)\)=/.exec(error.detail ?? '')?.[1] ?? '')
    .split(', ')
    .filter((column) => /^\w+$/.test(column));
  const shown = columns.filter((column) => resource?.where?.[column] === undefined);
  const label = resource?.label ?? 'Object';
  if (!shown.length) return ValidationError.field('__all__', `${label} already exists.`);
  const message = `${label} with this ${shown.map(title).join(' and ')} already exists.`;
  return ValidationError.field(shown.length === 1 ? apiName(shown[0]!) : '__all__', message);
}

/** `Key (inventory_id)=(5) is not present in table …` on writing, `… is still referenced from table …` on deleting. */
function brokenLink({ detail = '' }: PgError): ApiError {
  const [, column, value] = /^Key \((\w+)\)=\((.*?)\)/.exec(detail) ?? [];
  const user = /is still referenced from table "(\w+)"/.exec(detail)?.[1];
  if (user)
    return new ApiError(
      409,
      `This object is still used by ${user.replaceAll('_', ' ')}: delete or change those first.`,
    );
  return column
    ? ValidationError.field(apiName(column), `Invalid pk "${value}" - object does not exist.`)
    : new ApiError(400, 'A linked object does not exist.');
}
