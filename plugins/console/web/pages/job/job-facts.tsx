import type { ComponentChildren } from 'preact';
import type { Run } from '../../api/types.ts';
import { Folded } from '../../components/folded.tsx';
import { Elapsed, When } from '../../components/time.tsx';

const hostLabels: Record<string, string> = {
  ok: 'ok',
  changed: 'changed',
  failures: 'failed',
  failed: 'failed',
  dark: 'unreachable',
  skipped: 'skipped',
  rescued: 'rescued',
  ignored: 'ignored',
};

/** JSON on lines of its own; anything else as it is. */
function readable(variables: string): string {
  try {
    return JSON.stringify(JSON.parse(variables), null, 2);
  } catch {
    return variables;
  }
}

/** What ran, on what, for whom. */
export function JobFacts({ run }: { run: Run }) {
  const { summary_fields: named } = run;
  const counts = Object.entries(run.host_status_counts ?? {}).filter(([, count]) => count > 0);
  const template = named['job_template'];
  const facts: [string, ComponentChildren][] = [
    ['Template', template && <a href={`/templates/${template.id}/launch`}>{template.name}</a>],
    ['Inventory', named['inventory']?.name],
    ['Project', named['project']?.name],
    ['Playbook', run.playbook],
    ['Limit', run.limit],
    ['Credentials', (named['credentials'] ?? []).map(({ name }: { name: string }) => name).join(', ')],
    ['Revision', run.scm_revision?.slice(0, 10)],
    ['Started by', run.launched_by?.name],
    ['Created', <When key="when" at={run.created} />],
    ['Took', <Elapsed key="took" {...run} />],
    ['Hosts', counts.map(([name, count]) => `${count} ${hostLabels[name] ?? name}`).join(', ')],
    ['Ran on', run.execution_node],
  ];
  const variables = run.extra_vars && run.extra_vars !== '{}' ? run.extra_vars : '';
  return (
    <div class="facts">
      <dl aria-label="About this run">
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {variables && <Folded title="Extra variables" text={readable(variables)} />}
    </div>
  );
}
