import { ApiError, type Call, ValidationError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../../descriptors/compile.ts';
import type { Settings } from '../../../settings/settings.ts';

export interface BulkServices {
  db: Knex;
  settings: Pick<Settings, 'get'>;
  readonly catalog?: Catalog;
}

export const refused = (message: string) => ValidationError.field('__all__', message);

/** @throws ApiError 400 for none or too many */
export function listOfHosts(
  { body }: Pick<Call, 'body'>,
  most: number,
  tooMany: (most: number, count: number) => ApiError,
): readonly unknown[] {
  const hosts = body.hosts as unknown[];
  if (!hosts.length) throw ValidationError.field('hosts', 'This list may not be empty.');
  if (hosts.length > most) throw tooMany(most, hosts.length);
  return hosts;
}

/** What is wrong with one of many. */
export function fieldErrors(error: unknown): Record<string, unknown> {
  if (error instanceof ApiError && error.status === 400) return error.body;
  throw error;
}
