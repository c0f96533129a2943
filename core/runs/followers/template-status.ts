import type { MovedRun } from '@tapline/plugin-sdk';
import { runPrepared } from '../../db/prepared.ts';
import type { RunKinds } from '../kinds.ts';
import { isTerminal } from '../states.ts';
import type { Along, Follower } from '../status.ts';

/**
 * A template shows what its newest run does, without a join on every list: its status columns move with the run. Runs
 * that say nothing about their template (a checkout of another branch for one job) are not `shown_by_template`.
 */
export const showActive: Along = (to) =>
  isTerminal(to)
    ? undefined
    : {
        values: [],
        sql: () => `shown as (
          update templates t set current_run_id = newest.run, status = '${to}'
          from (select template_id, max(id) as run from moved where shown_by_template group by template_id) newest
          where t.id = newest.template_id and (t.current_run_id is null or t.current_run_id <= newest.run)
        )`,
      };

/** After those who waited look again: their locks come before a template's row. */
export const showEnd = (kinds: RunKinds): Follower => {
  const folded = () =>
    kinds.all().flatMap(({ template, templateShows }) => (template && templateShows === 'outcome' ? [template] : []));
  return {
    writes: (_run, to) => isTerminal(to),
    async follow(trx, moved, to) {
      if (!isTerminal(to)) return;
      const newest = newestByTemplate(moved);
      if (newest.length) await runPrepared(trx, ended, [JSON.stringify(newest), folded()]);
    },
  };
};

interface Newest {
  template: number;
  run: number;
}

function newestByTemplate(moved: readonly MovedRun[]): Newest[] {
  const newest = new Map<number, number>();
  for (const { id, template_id: template, shown_by_template: shown } of moved)
    if (template !== null && shown) newest.set(template, Math.max(id, newest.get(template) ?? 0));
  return [...newest].map(([template, run]) => ({ template, run })).toSorted((a, b) => a.template - b.template);
}

/**
 * The newest run that is still active takes over, else the last one decides: some templates know only successful and
 * failed, others keep the exact word (contract/jobs.md §1.1).
 */
const ended = {
  name: 'template shows ended run',
  text: `update templates t set
      current_run_id = other.id,
      status = coalesce(other.status, case when t.kind = any ($2) and r.status <> 'successful' then 'failed' else r.status end),
      last_run_id = r.id, last_job_run = r.finished, last_job_failed = r.status <> 'successful'
    from jsonb_to_recordset($1::jsonb) as p(template bigint, run bigint)
    join runs r on r.id = p.run
    left join lateral (
      select id, status from runs o
      where o.template_id = p.template and o.status in ('pending', 'waiting', 'running') and o.shown_by_template
      order by o.id desc limit 1
    ) other on true
    where t.id = p.template`,
};
