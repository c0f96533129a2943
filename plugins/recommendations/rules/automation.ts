import type { Rule } from '../rule.ts';

/** Days after which a project counts as stale. */
const staleDays = 14;
const dayMs = 86_400_000;

export const automationRules = {
  stale_project: {
    id: 'stale_project',
    scope: 'automation',
    severity: 'info',
    title: 'Projects not synced recently',
    action_link: '/projects',
    evaluate: ({ projects, now }) => {
      // one that never synced has no last sync to be old
      const stale = projects.filter(
        ({ last_synced }) => last_synced !== null && now.getTime() - Date.parse(last_synced) >= staleDays * dayMs,
      );
      if (!stale.length) return undefined;
      const [number, verb] =
        stale.length === 1 ? ['One project was', 'runs'] : [`${stale.length} projects were`, 'run'];
      return {
        why: `${number} last synced ${staleDays} or more days ago and so ${verb} what was true then. Sync them, or let them update on launch.`,
      };
    },
  },
  no_schedules: {
    id: 'no_schedules',
    scope: 'automation',
    severity: 'info',
    title: 'No schedules configured',
    action_link: '/schedules',
    evaluate: ({ job_templates, schedules }) =>
      job_templates > 0 && schedules === 0
        ? { why: 'Every job is started by hand. A schedule runs what must happen regularly without being remembered.' }
        : undefined,
  },
} satisfies Record<string, Rule>;
