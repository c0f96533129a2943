import {
  ApiError,
  type Access,
  type Call,
  field,
  type Resource,
  type Row,
  type WriteContext,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../descriptors/compile.ts';
import { checkInventory } from '../../inventory/check.ts';
import { partCountFields, sourceCountFields } from '../../inventory/count-fields.ts';
import { beginDeletion, partsOf } from '../../inventory/deletion.ts';
import { assertMovedHosts } from '../../inventory/host-limit.ts';
import { inventoryLabelSql, inventoryLabels } from '../../inventory/labels.ts';
import type { Bus } from '../../queue/bus.ts';
import type { Queue } from '../../queue/queue.ts';
import { assertLinks } from '../../rbac/rights.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { allOf } from '../../rbac/rules.ts';
import type { Visible } from '../../runs/access.ts';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';

export interface ViewServices {
  bus: Bus;
  queue: Pick<Queue, 'addTasks'>;
  visible: Visible;
  readonly catalog?: Catalog;
}

const kept = role('inventory', 'admin_role');
const makes = parent('organization_id', 'organization', 'inventory_admin_role');

/** What inventories of one kind show at the address of that kind, beside what only that kind has. */
export const viewFields = (kind: [value: string, label: string]) => ({
  name: field.string({ required: true }),
  description: field.text(),
  organization: field.ref('organization', { required: true, nullable: false }),
  kind: field.choice([kind], { mode: 'ro' }),
  variables: field.jsonText({ engineTags: true }),
  ...partCountFields,
  ...sourceCountFields,
  pending_deletion: field.boolean({ mode: 'ro' }),
});

/** After the row itself, before the guards and the activity stream are told. */
type Stored = (context: WriteContext, row: Row) => Promise<void>;

/** The guards and the activity stream know it as the inventory that it is. */
function hooksOf(services: ViewServices, stored: Stored) {
  return {
    async validate(context: WriteContext) {
      if (context.before) await assertLinks(context, [['organization_id', 'organization', 'inventory_admin_role']]);
      await checkInventory(context, { catalog: services.catalog!, makes });
    },
    async afterCreate(context: WriteContext, row: Row) {
      await stored(context, row);
      await context.call.written(context.trx, 'inventory', row);
    },
    async afterUpdate(context: WriteContext & { before: Row }, row: Row) {
      await assertMovedHosts(context.trx, context.before, row);
      await stored(context, row);
      await context.call.written(context.trx, 'inventory', row, context.before);
    },
    async beforeDelete(trx: Knex, row: Row, call: Call) {
      if (row['pending_deletion']) throw new ApiError(400, { error: 'The inventory is being deleted already.' });
      await assertNoActiveRuns(trx, (runs) => void runs.where('inventory_id', row.id));
      const catalog = services.catalog!;
      const model = catalog.type('inventory');
      await catalog.doors?.check('inventory', 'delete', { trx, actor: call.actor, rows: [row] });
      const more = { coalesced_data: await partsOf(trx, row.id) };
      await catalog.activity?.deleted(trx, catalog, call, { model, row, more });
    },
    remove: (trx: Knex, { id }: Row) => beginDeletion(services, trx, id),
  };
}

/** The address of all inventories of one kind: the same records as at `inventories/`. */
export function inventoryView(
  services: ViewServices,
  { kind, below, stored }: { kind: string; below: readonly string[]; stored: Stored },
) {
  const see = services.visible('inventory');
  const access = { see, create: makes, change: kept, delete: kept } satisfies Access;
  return {
    type: `${kind}_inventory`,
    path: `${kind}_inventories`,
    root: `${kind}_inventory`,
    table: 'inventories',
    where: { kind },
    access,
    rights: { adhoc: role('inventory', 'adhoc_role'), copy: allOf(see, makes) },
    capabilities: { edit: 'change', delete: 'delete', adhoc: 'adhoc', copy: 'copy' },
    stream: false,
    orderBy: ['name'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    extraSql: inventoryLabelSql,
    summaries: inventoryLabels,
    related: ({ id }: Row) => Object.fromEntries(below.map((name) => [name, `/api/v2/inventories/${id}/${name}/`])),
    unique: {
      inventories_name_organization: {
        field: '__all__',
        message: 'Inventory with this Name and Organization already exists.',
      },
    },
    ...hooksOf(services, stored),
    deleteStatus: 202,
  } satisfies Partial<Resource>;
}
