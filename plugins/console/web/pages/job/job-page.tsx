import { useRun } from '../../api/runs.ts';
import { isActive, type Run } from '../../api/types.ts';
import { Failure, Loading, PageLayout } from '../../components/page.tsx';
import { Status, statusLabel } from '../../components/status.tsx';
import { OutputView } from '../../output/output-view.tsx';
import { useOutput } from '../../output/use-output.ts';
import { place } from '../../router.ts';
import { FailureReading } from './failure-reading.tsx';
import { JobActions } from './job-actions.tsx';
import { JobFacts } from './job-facts.tsx';

interface Kind {
  /** of the detail: `jobs/` */
  path: string;
  events: string;
  group: string;
  noun: string;
}

const job: Kind = { path: 'jobs', events: 'job_events/', group: 'job_events', noun: 'Job' };

export const JobPage = ({ params }: { params: Record<string, string> }) => (
  <RunPage kind={job} id={Number(params['id'])} />
);

export function RunPage({ kind, id }: { kind: Kind; id: number }) {
  const { data, error, reload } = useRun(`${kind.path}/${id}/`, id);
  const run = data.value;
  const title = run ? `${run.name} · ${kind.noun} ${id}` : `${kind.noun} ${id}`;
  return (
    <PageLayout
      title={title}
      intro={
        run && (
          <>
            <Status status={run.status} />
            <span class="visually-hidden" role="status">
              {kind.noun} {id}: {statusLabel(run.status)}
            </span>
          </>
        )
      }
      actions={run && <JobActions run={run} onChange={reload} />}
    >
      {error.value && <Failure error={error.value} what={kind.noun.toLowerCase()} />}
      {!run && !error.value && <Loading what={`${kind.noun.toLowerCase()} ${id}`} />}
      {run && <RunBody run={run} kind={kind} />}
    </PageLayout>
  );
}

function RunBody({ run, kind }: { run: Run; kind: Kind }) {
  const active = isActive(run);
  const events = `${kind.path}/${run.id}/${kind.events}`;
  const output = useOutput({ id: run.id, events, group: kind.group }, !active);
  const line = Number(place.value.query.get('line'));
  const target = line > 0 ? line - 1 : null;
  return (
    <>
      <FailureReading run={run} events={events} />
      <JobFacts run={run} />
      <OutputView
        output={output}
        live={active}
        target={target}
        download={`/api/v2/${kind.path}/${run.id}/stdout/?format=txt_download`}
      />
    </>
  );
}
