import type { Knex } from 'knex';
import type { ExecStatus } from '../executor.ts';
import { explainFailure, explainIdle } from '../explain.ts';
import { type FactsPair, judgeExit, type RunOutcome } from '../outcome.ts';
import { storeFacts } from './facts.ts';
import { runGone } from './retry.ts';
import type { Session } from './session.ts';

type Ended = Exclude<ExecStatus, { state: 'running' }>;

/** What a failed run is explained from: its last failing results and the end of its output. */
const lastResults = 50;
const lastTexts = 200;
const longestText = 32_768;
const longestField = 8000;

/** What follows from the end of the process. May run again after a failure: everything in it is repeatable. */
export async function conclude(session: Session, ended: Ended): Promise<RunOutcome> {
  const {
    deps: { db, bus },
    run,
    masker,
  } = session;
  const facts = run.kind === 'job' && run.use_fact_cache ? await collectFacts(session, ended) : [];
  const row = await db('runs')
    .where({ id: run.id })
    .first('event_count', 'host_status_counts', 'play_count', 'task_count', 'artifacts', 'start_at_task');
  if (!row) throw runGone(run.id);
  const verdict = judgeExit(ended);
  const explanation =
    verdict.status === 'successful'
      ? explainIdle(row)
      : (await explain(db, run.id, ended, row.host_status_counts !== null)) || verdict.explanation;
  const { event_count: last, start_at_task: _, ...counts } = row;
  await bus.notify(db, 'events', { run: run.id, kind: run.kind, from: last + 1, to: last, final: true });
  return { ...counts, status: verdict.status, explanation: masker.text(explanation), traceback: '', facts };
}

async function collectFacts(
  { deps: { db, executor, settings, log }, run, handle, masker }: Session,
  ended: Ended,
): Promise<FactsPair[]> {
  const maxAge = Number(settings.get('ENGINE_FACT_CACHE_TIMEOUT'));
  try {
    return await storeFacts(
      { db, run, masker, maxAge },
      executor,
      handle,
      ended.state === 'exited' && ended.exit.reason === 'exit',
    );
  } catch (err) {
    // a folder that cannot be read will not come back; a database will
    if ((err as NodeJS.ErrnoException).path === undefined) throw err;
    log.warn({ err, run: run.id }, 'the facts that the run gathered could not be read');
    return [];
  }
}

async function explain(db: Knex, runId: number, status: Ended, recap: boolean): Promise<string> {
  const said = ['msg', 'module_stderr', 'module_stdout', 'stderr', 'exception'].map(
    (key) => `'${key}', left(event_data -> 'res' ->> '${key}', ${longestField})`,
  );
  const { rows: events } = await db.raw(
    `select event, jsonb_build_object('host', event_data -> 'host', 'ignore_errors', event_data -> 'ignore_errors', 'res', jsonb_build_object(${said.join(', ')})) as event_data
     from run_events where run_id = ? and failed and event_level = 3 order by counter desc limit ${lastResults}`,
    [runId],
  );
  const { rows: texts } = await db.raw(
    `select right(stdout, ${longestText}) as text from run_events where run_id = ? and stdout <> '' order by counter desc limit ${lastTexts}`,
    [runId],
  );
  const text = texts
    .toReversed()
    .map((row: { text: string }) => row.text)
    .join('\n')
    .slice(-longestText);
  return explainFailure({ status, events: events.toReversed(), text, recap });
}
