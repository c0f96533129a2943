import { ApiError, type Actor, type Denial, type MovedRun, type RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { safeText } from '../db/safe-text.ts';
import { EXPLANATION_LIMIT } from '../hooks/explanation.ts';
import type { Refusal } from '../hooks/hooks.ts';
import type { RunEntry, RunEntries } from './entries.ts';
import type { Statuses } from './status.ts';

interface Deps {
  db: Knex;
  statuses: Pick<Statuses, 'setStatus'>;
  entries: Pick<RunEntries, 'refused'>;
}

/** A launch that a tap denied. */
export interface RefusedLaunch {
  /** as it was inserted */
  run: RunRow;
  template: Record<string, unknown> | null;
  actor: Actor | null;
  refusal: Refusal;
}

/** The denial of a tap, which stands in the audit log already. */
export class LaunchRefused extends ApiError {}

/** Somebody waits for the answer: the run goes, the activity stream keeps what became of it. @throws LaunchRefused: the denial */
export async function answerRefusal({ db, entries }: Deps, launch: RefusedLaunch): Promise<never> {
  const { run, refusal } = launch;
  await db.transaction(async (trx) => {
    await entries.refused(trx, entryOf(launch));
    await trx('runs').where({ id: run.id, status: 'new' }).delete();
  });
  const { status, body, headers } = refusal.denial;
  throw new LaunchRefused(status, body, headers);
}

/** Nobody waits: the run is kept as failed. Resolves to null where it is gone meanwhile. */
export async function keepRefused(
  { statuses, entries }: Deps,
  trx: Knex,
  launch: RefusedLaunch,
  explanation: string,
): Promise<MovedRun | null> {
  const { detail, reasons } = reasonsOf(launch.refusal.denial);
  const kept = await statuses.setStatus(trx, launch.run, 'failed', {
    job_explanation: [explanation, safeText([detail, ...reasons].join('\n'), EXPLANATION_LIMIT)]
      .filter(Boolean)
      .join('\n'),
  });
  if (kept) await entries.refused(trx, entryOf(launch, kept));
  return kept;
}

const mostReasons = 50;

function entryOf({ run, template, actor, refusal }: RefusedLaunch, kept?: MovedRun): RunEntry {
  const { detail, reasons } = reasonsOf(refusal.denial);
  const changes = {
    action: 'launch_denied',
    tap: refusal.tap,
    status: refusal.denial.status,
    detail: safeText(detail, 1000),
    reasons: reasons.slice(0, mostReasons).map((reason) => safeText(reason, 1000)),
    launch_type: run.launch_type,
  };
  return { run, actor, changes, about: [...subjectOf(run, template), ...(kept ? [kept] : [])] };
}

/** The template as its kind shows it to taps, which may be little. */
function subjectOf({ template_id: id }: RunRow, template: RefusedLaunch['template']): RunEntry['about'] {
  const { kind, name } = template ?? {};
  return id !== null && typeof kind === 'string' ? [{ id, kind, name: String(name ?? '') }] : [];
}

/** By custom `detail` and `reasons`; of another body whatever it says of its fields. */
function reasonsOf({ body }: Denial): { detail: string; reasons: string[] } {
  const { detail, reasons } = body;
  const silent = detail === undefined || detail === null;
  const fields = Object.entries(body).map(([key, value]) => `${key}: ${asText(value)}`);
  return {
    detail: silent ? 'Launch refused.' : asText(detail),
    reasons: Array.isArray(reasons) ? reasons.map(asText) : silent ? fields : [],
  };
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
