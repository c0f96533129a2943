import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

export const noLabels = { count: 0, results: [] };

/** Ten of them by name; `labels` selects the ids. */
export const labelList = (labels: string) => `(select jsonb_build_object('count', count(*), 'results',
    coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name) order by l.name) filter (where l.place <= 10), '[]'))
  from (select id, name, row_number() over (order by name) as place from labels where id in (${labels})) l)`;

/** For the inventory's own statement. */
export const inventoryLabelSql = {
  summary_labels: labelList('select label_id from inventory_labels where inventory_id = {alias}.id'),
};

export const inventoryLabels = async (_db: Knex, rows: readonly Row[]): Promise<Map<number, Record<string, unknown>>> =>
  new Map(rows.map((row) => [row.id, { labels: row.summary_labels }]));
