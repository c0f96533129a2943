import { ApiError, isUnavailable } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { isOverdue } from '../../../db/database-errors.ts';
import { isPassing } from '../../../runner/patience.ts';
import { safeText } from '../../../db/safe-text.ts';
import type { Inserted, LaunchRequest } from '../../../runs/start.ts';
import type { WorkflowServices } from '../services.ts';

type Launching = Pick<WorkflowServices, 'launch' | 'log'>;

const mostTold = 1000;

/**
 * What a node names, launched; or why it could not be; or null where nobody could be asked about it now. Whatever went wrong
 * says something of this node only, and goes with the savepoint: others are launched beside it, and its ways for failures are taken.
 * @throws what passes: all that is to be launched is tried again then
 */
export async function launchNode(
  trx: Knex,
  { launch, log }: Launching,
  node: number,
  requestOf: () => LaunchRequest | Promise<LaunchRequest>,
): Promise<Inserted | string | null> {
  await trx.raw('savepoint workflow_node');
  try {
    const made = await launch.insert(trx, await requestOf());
    await trx.raw('release savepoint workflow_node');
    return made;
  } catch (err) {
    const away = isUnavailable(err);
    if (!away && willPass(err)) throw err;
    await trx.raw('rollback to savepoint workflow_node; release savepoint workflow_node');
    if (away) {
      log.warn({ err, node }, 'a node of a workflow could not be launched now, and is tried again later');
      return null;
    }
    log[err instanceof ApiError ? 'warn' : 'error']({ err, node }, 'a node of a workflow could not be launched');
    return whyNot(err);
  }
}

/** The database or whoever is to be asked is away or busy: the same again is likely to go well. */
export const willPass = (error: unknown): boolean =>
  isPassing(error) ||
  isUnavailable(error) ||
  isOverdue(error) ||
  (error as { code?: string } | null)?.code === '57014' ||
  (error instanceof ApiError && error.status >= 500);

/** What may be shown of it. */
export function whyNot(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The service could not launch it because of an error, which its log tells.';
  const { detail, ...fields } = error.body;
  const told = Object.entries(fields).map(([field, messages]) => `${field}: ${[messages].flat().join(' ')}`);
  return safeText([...(detail === undefined ? [] : [String(detail)]), ...told].join(' '), mostTold);
}
