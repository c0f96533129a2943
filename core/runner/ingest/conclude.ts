import { judgeExit, type RunOutcome } from '../outcome.ts';
import type { ExecStatus } from '../executor.ts';
import { storeFacts } from './facts.ts';
import { RunGone, type Session } from './session.ts';

/** What follows from the end of the process. May run again after a failure: everything in it is repeatable. */
export async function conclude(session: Session, ended: Exclude<ExecStatus, { state: 'running' }>): Promise<RunOutcome> {
  const { deps: { db, bus, executor, settings }, run, handle, masker } = session;
  const itself = ended.state === 'exited' && ended.exit.reason === 'exit';
  const maxAge = Number(settings.get('ENGINE_FACT_CACHE_TIMEOUT'));
  const facts = run.kind === 'job' && run.use_fact_cache ? await storeFacts({ db, run, masker, maxAge }, executor, handle, itself) : [];
  const row = await db('runs').where({ id: run.id }).first('event_count', 'host_status_counts', 'play_count', 'task_count', 'artifacts');
  if (!row) throw new RunGone(run.id);
  const verdict = judgeExit(ended);
  const { event_count: last, ...counts } = row;
  await bus.notify(db, 'events', { run: run.id, kind: run.kind, from: last + 1, to: last, final: true });
  return { ...counts, ...verdict, explanation: masker.text(verdict.explanation), traceback: '', facts };
}
