import type { MovedRun, RunStatus } from '@tapline/plugin-sdk';
import { z } from 'zod';
import { type LookupDeps, lookUpInputs } from '../credentials/lookups.ts';
import { loadCredentials } from '../credentials/resolve.ts';
import type { Log } from '../observe/log.ts';
import { isOnHosts, withoutEndingSlashes } from '../outbound/addresses.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { Follower } from '../runs/status.ts';
import type { Settings } from '../settings/settings.ts';
import type { Report } from './senders/sender.ts';
import { senderCalled } from './senders/senders.ts';

const TASK = 'core:webhook-report';
/** Over some minutes: nobody waits longer for a tick beside a commit. */
const attempts = 6;

const states: Partial<Record<RunStatus, Report['state']>> = {
  pending: 'pending',
  running: 'running',
  successful: 'success',
  failed: 'failure',
  canceled: 'failure',
  error: 'error',
};

const addressOf = ({ data }: Pick<MovedRun, 'data'>): string => String(data?.['webhook_status_api'] ?? '');

/** Tells the sender of the webhook how the run goes, from the queue: of a run only the newest state waits there. */
export const reportStatuses = ({ queue }: { queue: Pick<Queue, 'addTasks'> }): Follower => ({
  writes: (run) => run['webhook_credential_id'] != null,
  async follow(trx, moved, to) {
    if (!states[to]) return;
    const reported = moved.filter((run) => run['webhook_credential_id'] != null && addressOf(run));
    if (!reported.length) return;
    const tasks = reported.map(({ id }) => ({ name: TASK, payload: { run: id, status: to }, key: `${TASK}:${id}` }));
    await queue.addTasks(trx, tasks);
  },
});

export interface ReportDeps extends LookupDeps {
  queue: Pick<Queue, 'define'>;
  kinds: RunKinds;
  settings: Pick<Settings, 'get'>;
  log: Pick<Log, 'warn'>;
}

const payload = z.object({ run: z.number(), status: z.enum(Object.keys(states) as [RunStatus]) });

export function defineReports(deps: ReportDeps): void {
  deps.queue.define(TASK, {
    schema: payload,
    maxAttempts: attempts,
    run: ({ run, status }) => report(deps, run, status),
  });
}

/** @throws Error where it is worth another try */
async function report(deps: ReportDeps, id: number, status: RunStatus): Promise<void> {
  const { db, keyRing, kinds, outbound, settings, log } = deps;
  const run: MovedRun | undefined = await db('runs').where({ id }).first();
  // a webhook says where: whoever has its key could have the token sent to themselves
  if (run && !isOnHosts(addressOf(run), settings.get('WEBHOOK_STATUS_HOSTS') as readonly string[])) {
    log.warn(
      { run: id, address: addressOf(run) },
      'the status of a run is not told: WEBHOOK_STATUS_HOSTS lacks the host',
    );
    return;
  }
  const stored = run ? await loadCredentials(db, keyRing, [Number(run['webhook_credential_id'])]) : [];
  const [credential] = await lookUpInputs(deps, stored);
  const [sender, token] = [senderCalled(run?.['webhook_service']), credential?.inputs['token']];
  if (!run || !sender || !token) return;
  const base = withoutEndingSlashes(String(settings.get('TOWER_URL_BASE')));
  const { headers, body } = sender.report(
    {
      state: states[status]!,
      name: `tapline/${run.name}`.slice(0, 200),
      description: `${kinds.find(run.kind)?.resource.label ?? 'Run'} ${id}: ${status}`,
      address: `${base}/${kinds.find(run.kind)?.resource.path}/${id}`,
    },
    String(token),
  );
  const reply = await outbound.request(addressOf(run), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  if (reply.status < 300) return;
  const told = `${sender.name} answered ${reply.status} to the status of run ${id}`;
  // it will not think better of it
  if (reply.status < 500 && reply.status !== 429) log.warn({ run: id, status: reply.status }, told);
  else throw new Error(told);
}
