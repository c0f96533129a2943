import { field, type RunKind } from '@tapline/plugin-sdk';
import { sourceCountFields } from '../../inventory/count-fields.ts';
import type { SourceServices } from './source.ts';
import { updateAllAction } from './update-all-action.ts';

const ro = { mode: 'ro' } as const;
const source = 'inventory_source';

/** A part of an inventory with the sources that brought it. */
const brought = (part: 'host' | 'group') => ({
  sublists: { inventory_sources: { resource: source, through: through(part) } },
  spans: { inventory_sources: { resource: source, through: through(part) } },
});
const through = (part: 'host' | 'group') => ({ table: `source_${part}s`, parent: `${part}_id`, child: 'source_id' });

/** What sources bring to other resources. */
export const updateExtends = (services: SourceServices): NonNullable<RunKind['extends']> => ({
  inventory: {
    fields: sourceCountFields,
    spans: { inventory_sources: { resource: source, column: 'inventory_id' } },
    sublists: { inventory_sources: { resource: source, column: 'inventory_id', create: true } },
    actions: { update_inventory_sources: updateAllAction(services) },
  },
  host: {
    ...brought('host'),
    fields: {
      has_inventory_sources: field.boolean({
        ...ro,
        sql: "({alias}.source_ids <> '{}' and exists (select from templates s where s.id = any ({alias}.source_ids)))",
      }),
    },
  },
  group: brought('group'),
  project: { sublists: { scm_inventory_sources: { resource: source, column: 'project_id' } } },
  project_update: {
    sublists: {
      scm_inventory_updates: {
        resource: 'inventory_update',
        where: (builder, update, alias) =>
          void builder.whereRaw(`"${alias}".id in (select d.run_id from run_dependencies d where d.depends_on = ?)`, [
            update.id,
          ]),
      },
    },
  },
});
