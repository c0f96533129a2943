import { ApiError, type Call, type Row } from '@tapline/plugin-sdk';
import type { Compiled } from '../compile.ts';
import type { Model } from '../model.ts';
import { versionKey } from '../read/sql.ts';

/** Whether somebody can change its rows, and they tell when. */
export const hasVersions = ({ columns, resource: { access } }: Model): boolean =>
  columns.has('modified') && (access.change !== undefined || access.delete !== undefined);

/** The entity tag of a row: the time of its last change. */
export function etagOf(model: Model, row: Row): string | undefined {
  if (!hasVersions(model)) return undefined;
  return `"${row.id}-${String(row[versionKey] ?? row.modified).replaceAll(/\D/g, '')}"`;
}

/**
 * RFC 9110 §13.1.1, to be asked about the locked row: nobody can come between the check and the write.
 * @throws ApiError 412 when the client has read another version, 400 when the header holds no entity tag
 */
export function assertMatch(model: Compiled, { ifMatch }: Call, row: Row): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = etagOf(model, row);
  const tags = ifMatch.match(/(?:W\/)?"[^"]*"/g);
  if (!tags) throw new ApiError(400, 'If-Match must be * or entity tags in double quotes, as ETag shows them.');
  // a weak tag never matches here
  if (current !== undefined && tags.includes(current)) return;
  throw new ApiError(
    412,
    'The object has changed since you read it. Read it again, then repeat your change.',
    current === undefined ? {} : { ETag: current },
  );
}
