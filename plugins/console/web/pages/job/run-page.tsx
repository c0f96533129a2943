import {
  Failure,
  isActive,
  kindAt,
  Loading,
  PageLayout,
  Panels,
  place,
  type Route,
  type Run,
  runKinds,
  runNoun,
  Status,
  statusLabel,
  useRun,
} from '@tapline/console-kit';
import { FindTools } from '../../output/find-tools.tsx';
import { OutputView } from '../../output/output-view.tsx';
import { useOutput } from '../../output/use-output.ts';
import { FailureReading } from './failure-reading.tsx';
import { JobActions } from './job-actions.tsx';
import { JobFacts } from './job-facts.tsx';
import { partsOf, PartTabs } from './parts/parts.tsx';

/** One run of any kind; `path` is that of its kind below /api/v2/. */
export function RunPage({ path, id }: { path: string; id: number }) {
  const kind = kindAt(path);
  const { data, error, reload } = useRun(`${path}/${id}/`, id);
  const run = data.value;
  const noun = run ? runNoun(run.type) : kind.noun;
  return (
    <PageLayout
      title={run ? `${run.name} · ${noun} ${id}` : `${noun} ${id}`}
      intro={
        run && (
          <>
            <Status status={run.status} />
            <span class="visually-hidden" role="status">
              {noun} {id}: {statusLabel(run.status)}
            </span>
          </>
        )
      }
      actions={run && <JobActions run={run} onChange={reload} />}
    >
      {error.value && <Failure error={error.value} what={noun.toLowerCase()} again={reload} />}
      {!run && !error.value && <Loading what={`${noun.toLowerCase()} ${id}`} />}
      {run && kind.events && <SpokenRun run={run} path={path} events={kind.events} reload={reload} />}
      {run && !kind.events && (
        <>
          <FailureReading run={run} events="" />
          <JobFacts run={run} />
          <Panels record={run} reload={reload} />
        </>
      )}
    </PageLayout>
  );
}

interface SpokenProps {
  run: Run;
  path: string;
  events: string;
  reload: () => Promise<void>;
}

/** It says something: its lines as they come, and what can be made of its events. */
function SpokenRun({ run, path, events, reload }: SpokenProps) {
  const list = `${path}/${run.id}/${events}`;
  const parts = partsOf(run);
  const chosen = parts.find(({ id }) => id === place.value.query.get('tab'));
  return (
    <>
      <FailureReading run={run} events={list} />
      <JobFacts run={run} />
      <Panels record={run} reload={reload} />
      <PartTabs run={run} parts={parts} chosen={chosen} />
      {chosen ? (
        <chosen.content key={chosen.id} run={run} events={list} />
      ) : (
        <Spoken run={run} path={path} list={list} />
      )}
    </>
  );
}

function Spoken({ run, path, list }: { run: Run; path: string; list: string }) {
  const active = isActive(run);
  const output = useOutput({ id: run.id, events: list, group: `${run.type}_events` }, !active);
  const { query } = place.value;
  const line = Number(query.get('line'));
  const target = line > 0 ? line - 1 : null;
  return (
    <OutputView
      output={output}
      live={active}
      target={target}
      download={`/api/v2/${path}/${run.id}/stdout/?format=txt_download`}
      find={query.get('find') ?? ''}
      tools={<FindTools events={list} failed={run.failed} />}
    />
  );
}

const routeOf = (path: string): Route => ({
  pattern: `/${path}/:id`,
  page: ({ params }) => <RunPage path={path} id={Number(params['id'])} />,
});

/** Of every kind that is known here, and of those that plugins bring. */
export const runRoutes: readonly Route[] = [
  ...Object.values(runKinds).map(({ path }) => routeOf(path)),
  { pattern: '/runs/:path/:id', page: ({ params }) => <RunPage path={params['path']!} id={Number(params['id'])} /> },
];
