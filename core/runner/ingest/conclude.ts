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
/** of the beginning of a field, and of its end */
const longestField = 1000;

/** What follows from the end of the process. May run again after a failure: everything in it is repeatable. */
export async function conclude(session: Session, ended: Ended): Promise<RunOutcome> {
  const {
    deps: { db, bus },
    run,
    masker,
  } = session;
  const facts = run.use_fact_cache ? await collectFacts(session, ended) : [];
  const row = await db('runs')
    .where({ id: run.id })
    .first('event_count', 'host_status_counts', 'play_count', 'task_count', 'artifacts', 'start_at_task');
  if (!row) throw runGone(run.id);
  const verdict = judge(session, ended);
  const explanation =
    verdict.status === 'successful'
      ? explainIdle(row)
      : (!isAtLimit(ended, session) && (await explain(db, run, ended, row.host_status_counts !== null))) ||
        verdict.explanation;
  const { event_count: last, start_at_task: _, ...counts } = row;
  await bus.notify(db, 'events', { run: run.id, kind: run.kind, from: last + 1, to: last, final: true });
  return { ...counts, status: verdict.status, explanation: masker.text(explanation), traceback: '', facts };
}

/** A run whose events were not all stored has failed, however its process ended; but for one that somebody canceled. */
function judge({ cutShort }: Session, ended: Ended): Pick<RunOutcome, 'status' | 'explanation'> {
  const verdict = judgeExit(ended);
  return cutShort && verdict.status !== 'canceled' ? { status: 'failed', explanation: cutShort } : verdict;
}

/** Nothing that it said explains it better. */
const isAtLimit = (ended: Ended, { cutShort }: Session) =>
  cutShort !== '' || (ended.state === 'exited' && ended.exit.reason === 'limit');

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

/** A long text without its middle: messages begin with what happened, and traces end with it. */
const endsSql = (text: string) =>
  `case when length(${text}) > ${2 * longestField} then left(${text}, ${longestField}) || E'\\n' || right(${text}, ${longestField}) else ${text} end`;

async function explain(
  db: Knex,
  { id, explains: rules = [] }: Session['run'],
  status: Ended,
  recap: boolean,
): Promise<string> {
  const said = ['msg', 'module_stderr', 'module_stdout', 'stderr', 'exception'].map(
    (key) => `'${key}', ${endsSql(`event_data -> 'res' ->> '${key}'`)}`,
  );
  const { rows: events } = await db.raw(
    `select event, jsonb_build_object('host', event_data -> 'host', 'ignore_errors', event_data -> 'ignore_errors', 'res', jsonb_build_object(${said.join(', ')})) as event_data
     from run_events where run_id = ? and failed and event_level = 3 order by counter desc limit ${lastResults}`,
    [id],
  );
  const { rows: texts } = await db.raw(
    `select right(stdout, ${longestText}) as text from run_events where run_id = ? and stdout <> '' order by counter desc limit ${lastTexts}`,
    [id],
  );
  const text = texts
    .toReversed()
    .map((row: { text: string }) => row.text)
    .join('\n')
    .slice(-longestText);
  return explainFailure({ status, events: events.toReversed(), text, recap, rules });
}
