import {
  defineResource,
  field,
  type Resource,
  type Row,
  ValidationError,
  type WriteContext,
} from '@tapline/plugin-sdk';
import { ownOfSource, sourceOfConstructed } from '../../inventory/constructed/source.ts';
import { limitProblem } from '../../inventory/limit.ts';
import { inventoryView, viewFields, type ViewServices } from './inventory-view.ts';

/** Of the one source that it has. */
const ofSource = (column: string, missing: string) => ({
  sql: `coalesce((select s."${column}" from templates s where s.inventory_id = {alias}.id and s.source = 'constructed' order by s.id limit 1), ${missing})`,
  filterable: false,
});
const fields = {
  ...viewFields(['constructed', 'Built from other inventories']),
  prevent_instance_group_fallback: field.boolean(),
  source_vars: field.jsonText({
    ...ofSource('source_vars', `''`),
    apiType: 'string',
    help: 'How hosts and groups are made.',
  }),
  update_cache_timeout: field.integer({
    ...ofSource('update_cache_timeout', '0'),
    min: 0,
    max: 2_147_483_647,
    nullable: true,
  }),
  limit: field.text({ ...ofSource('limit', `''`), help: 'Which hosts of the inputs are taken.' }),
  verbosity: field.integer({ ...ofSource('verbosity', '1'), min: 0, max: 2, nullable: true }),
};

/** What was sent of the source; null says nothing. */
async function storeSource({ trx, call, input }: WriteContext, inventory: Row): Promise<void> {
  const before = await sourceOfConstructed(trx, call, inventory);
  const sent = ownOfSource.filter(
    (name) => call.body[name] !== null && input[name] !== undefined && input[name] !== null,
  );
  if (!sent.length) return;
  const problem = sent.includes('limit') ? limitProblem(String(input['limit'])) : undefined;
  if (problem) throw ValidationError.field('limit', problem);
  const columns = Object.fromEntries(sent.map((name) => [name, input[name]]));
  const [after] = await trx('templates')
    .where({ id: before.id })
    .update({ ...columns, modified: trx.fn.now() })
    .returning('*');
  await call.written(trx, 'inventory_source', after, before);
}

const below =
  'hosts groups root_groups input_inventories inventory_sources update_inventory_sources tree variable_data script activity_stream job_templates ad_hoc_commands access_list object_roles instance_groups copy labels'.split(
    ' ',
  );

/** Constructed inventories with what their one source says: the same records as at `inventories/`. */
export const constructedInventoryResource = (services: ViewServices): Resource =>
  defineResource({
    ...inventoryView(services, { kind: 'constructed', below, stored: storeSource }),
    label: 'Constructed inventory',
    description: 'An inventory that is made of the hosts of others.',
    fields,
  });
