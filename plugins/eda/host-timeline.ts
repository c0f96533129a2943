import { type PluginApi, points } from '@tapline/plugin-sdk';

/** On the timeline of a host: events by which something was launched that worked on it. */
export function offerTimeline(api: PluginApi): void {
  api.offer(points.hostTimeline, {
    kind: 'event_log',
    type: 'event_log',
    async read(span) {
      const { rows } = await api.db.raw(
        `select e.created as at, e.id, min(e.event_rule_name || ': ' || e.event_type || ', launched ' || r.name) as summary,
           '/api/v2/event_logs/' || e.id || '/' as url
         from core_host_summaries s join core_runs r on r.id = s.run_id and r.origin ->> 'kind' = 'event'
         join ${api.table('event_logs')} e on e.id = (r.origin ->> 'id')::bigint
         where s.host_id = :host and e.created between :from and :to
         group by e.id, e.created order by e.created desc limit :most`,
        { ...span },
      );
      return rows;
    },
  });
}
