import type { BusMessages, Bus } from '../../queue/bus.ts';
import { isoSql } from '../columns.ts';
import type { Along } from '../status.ts';

/** A row of runs as listeners are told of it: a `BusMessages['status']`. */
export const statusSql = `jsonb_build_object('run', id, 'kind', kind, 'status', status, 'seq', status_seq, 'template', template_id,
  'parent', parent_id, 'part', parent_part, 'project', project_id, 'inventory', inventory_id, 'finished', ${isoSql('finished')},
  'group', (select g.name from instance_groups g where g.id = instance_group_id))`;

/** Tells whoever listens of every change, and of a pending run those who look for work. */
export const tellChanges =
  (bus: Pick<Bus, 'parcel'>): Along =>
  (to) => {
    const messages: [keyof BusMessages, sql: string][] = [['status', statusSql]];
    if (to === 'pending') messages.push(['dispatch', `'{}'`]);
    const sent = (place: number, sql: string) =>
      `count(pg_notify($${place}, jsonb_set($${place + 1}::jsonb, '{m}', ${sql})::text))`;
    return {
      values: messages.flatMap(([name]) => bus.parcel(name, {} as never)),
      sql: (first) =>
        `told as materialized (select ${messages.map(([, sql], index) => sent(first + 2 * index, sql)).join(' + ')} from moved)`,
      read: 'told',
    };
  };
