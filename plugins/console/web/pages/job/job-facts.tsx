import type { ComponentChildren } from 'preact';
import { Elapsed, Folded, linkedPage, type Run, When, t } from '@tapline/console-kit';

const hostLabels: Record<string, string> = {
  ok: t`ok`,
  changed: t`changed`,
  failures: t`failed`,
  failed: t`failed`,
  dark: t`unreachable`,
  skipped: t`skipped`,
  rescued: t`rescued`,
  ignored: t`ignored`,
};

/** What it ran from and on, as its summaries name it. */
const linked: readonly (readonly [label: string, field: string])[] = [
  [t`Template`, 'job_template'],
  [t`Template`, 'workflow_job_template'],
  [t`Workflow`, 'source_workflow_job'],
  [t`Source`, 'inventory_source'],
  [t`Inventory`, 'inventory'],
  [t`Project`, 'project'],
];

function linkTo({ related, summary_fields }: Run, field: string): ComponentChildren {
  const found = summary_fields[field];
  const to = found && linkedPage(related, field);
  return to ? <a href={to}>{found.name}</a> : found?.name;
}

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
  const facts: [string, ComponentChildren][] = [
    ...linked.map(([label, field]): [string, ComponentChildren] => [label, linkTo(run, field)]),
    [t`Playbook`, run.playbook],
    [t`Module`, run.module_name],
    [t`Arguments`, run.module_args],
    [t`Kind`, run.type === 'system_job' && run.job_type],
    [t`Message`, run.context_message],
    [t`Decides by itself`, run.approval_expiration && <When key="decides" at={run.approval_expiration} exact />],
    [t`Limit`, run.limit],
    [t`Credentials`, (named['credentials'] ?? []).map(({ name }: { name: string }) => name).join(', ')],
    [t`Labels`, (named['labels']?.results ?? []).map(({ name }: { name: string }) => name).join(', ')],
    [t`Revision`, run.scm_revision?.slice(0, 10)],
    [t`Started by`, run.launched_by?.name],
    [t`Created`, <When key="when" at={run.created} exact />],
    [t`Took`, <Elapsed key="took" {...run} />],
    [t`Hosts`, counts.map(([name, count]) => `${count} ${hostLabels[name] ?? name}`).join(', ')],
    [t`Ran on`, run.execution_node],
    [t`Instance group`, linkTo(run, 'instance_group')],
    [t`Execution environment`, linkTo(run, 'execution_environment')],
  ];
  const variables = run.extra_vars && run.extra_vars !== '{}' ? run.extra_vars : '';
  return (
    <div class="facts">
      <dl aria-label={t`About this run`}>
        {facts
          .filter(([, value]) => value)
          .map(([label, value], i) => (
            <div key={i}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {variables && <Folded title={t`Extra variables`} text={readable(variables)} />}
    </div>
  );
}
