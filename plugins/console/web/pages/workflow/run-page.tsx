import { useMemo } from 'preact/hooks';
import {
  Failure,
  Loading,
  PageLayout,
  Panels,
  place,
  type Run,
  shown,
  Status,
  statusLabel,
  useRun,
  t,
} from '@tapline/console-kit';
import { graphOf } from '../../workflow/graph.ts';
import { GraphView } from '../../workflow/graph-view.tsx';
import { PartTabs, whyPart } from '../job/parts/parts.tsx';
import { FailureReading } from '../job/failure-reading.tsx';
import { nodeStatus, runPageOf } from './node-status.ts';
import { RunFacts } from './run-facts.tsx';
import { StepsTable } from './steps-table.tsx';
import { useRunNodes } from './use-run-nodes.ts';
import { WorkflowActions } from './workflow-actions.tsx';

const hint = t`Arrow keys walk along the links, Home and End to the ends, Enter opens what a node has launched.`;

/** A run of a workflow: how far it has come, on the picture of what it is. */
export function WorkflowRunPage({ params }: { params: Record<string, string> }) {
  const id = Number(params['id']);
  const { data, error, reload } = useRun(`workflow_jobs/${id}/`, id);
  const run = data.value;
  return (
    <PageLayout
      title={run ? t`${run.name} · Workflow ${id}` : t`Workflow ${id}`}
      intro={
        run && (
          <>
            <Status status={run.status} />
            <span class="visually-hidden" role="status">{t`Workflow ${id}: ${statusLabel(run.status)}`}</span>
          </>
        )
      }
      actions={run && <WorkflowActions run={run} onChange={reload} />}
    >
      {error.value && <Failure error={error.value} what={t`run of a workflow`} again={reload} />}
      {!run && !error.value && <Loading what={t`workflow ${id}`} />}
      {run && (
        <>
          <FailureReading run={run} events="" />
          <RunFacts run={run} />
          <Panels record={run} reload={reload} />
          <Parts run={run} />
        </>
      )}
    </PageLayout>
  );
}

function Parts({ run }: { run: Run }) {
  const chosen = place.value.query.get('tab') === whyPart.id ? whyPart : undefined;
  return (
    <>
      <PartTabs run={run} parts={[whyPart]} chosen={chosen} first={t`Graph`} />
      {chosen ? <chosen.content run={run} events="" /> : <RunGraph run={run} />}
    </>
  );
}

function RunGraph({ run }: { run: Run }) {
  const found = useRunNodes(run.id, run.status);
  const rows = found.data.value;
  const graph = useMemo(() => graphOf(rows ?? []), [rows]);
  return shown(found, { what: t`nodes of the workflow`, loading: t`the nodes` }, () =>
    graph.nodes.length ? (
      <>
        <GraphView
          graph={graph}
          label={t`Graph of ${run.name}`}
          hint={hint}
          statusOf={(node) => nodeStatus(node, run).label}
          inNode={(node) => <Status {...nodeStatus(node, run)} />}
          hrefOf={runPageOf}
        />
        <StepsTable graph={graph} run={run} />
      </>
    ) : (
      <p class="empty">{t`This workflow has no nodes.`}</p>
    ),
  );
}
