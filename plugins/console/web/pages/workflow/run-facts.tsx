import type { ComponentChildren } from 'preact';
import { Elapsed, Folded, type Run, When, t } from '@tapline/console-kit';

/** What was launched, with what, by whom. */
export function RunFacts({ run }: { run: Run }) {
  const { summary_fields: named } = run;
  const workflow = named['workflow_job_template'];
  const template = named['job_template'];
  const parent = named['source_workflow_job'];
  const facts: [string, ComponentChildren][] = [
    [t`Workflow`, workflow && <a href={`/workflow_job_templates/${workflow.id}/graph`}>{workflow.name}</a>],
    [t`Slices of`, template && <a href={`/templates/${template.id}`}>{template.name}</a>],
    [t`Part of`, parent && <a href={`/workflow_jobs/${parent.id}`}>{parent.name}</a>],
    [t`Inventory`, named['inventory']?.name],
    [t`Limit`, run.limit],
    [t`Labels`, (named['labels']?.results ?? []).map(({ name }: { name: string }) => name).join(', ')],
    [t`Started by`, run.launched_by?.name],
    [t`Created`, <When key="when" at={run.created} exact />],
    [t`Took`, <Elapsed key="took" {...run} />],
  ];
  const variables = run.extra_vars && run.extra_vars !== '{}' ? run.extra_vars : '';
  return (
    <div class="facts">
      <dl aria-label={t`About this run`}>
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {variables && <Folded title={t`Extra variables`} text={variables} />}
    </div>
  );
}
