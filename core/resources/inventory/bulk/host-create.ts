import { type Call, type Columns, type Route, type Row, ValidationError, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../../descriptors/compile.ts';
import { inTransaction } from '../../../descriptors/write/write.ts';
import { validateBody } from '../../../descriptors/write/schema.ts';
import { role } from '../../../rbac/role-rules.ts';
import { authenticated } from '../../../rbac/rules.ts';
import { prepareHost } from '../../../inventory/check.ts';
import { assertHostLimit } from '../../../inventory/host-limit.ts';
import { assertNoneTwice, claimNames } from './names.ts';
import { type BulkServices, fieldErrors, listOfHosts, refused } from './read.ts';

const administers = role('inventory', 'admin_role');

const fields = {
  inventory: field.ref('inventory', { required: true, nullable: false }),
  hosts: field.list({
    required: true,
    help: 'name, and description, enabled, instance_id and variables as of a host.',
  }),
};

/** `POST bulk/host_create/`: all of the hosts or none of them. */
export const bulkHostCreate = (services: BulkServices): Route => ({
  path: '/api/v2/bulk/host_create/',
  summary: 'Make many hosts of one inventory at once',
  access: { GET: authenticated, POST: authenticated },
  fields,
  answers: {
    GET: { fields: { detail: field.string() } },
    POST: { status: 201, fields: { url: field.string(), hosts: field.list() } },
  },
  async handler(call) {
    if (call.method === 'GET')
      return { status: 200, body: { detail: 'Make many hosts at once by a POST with their inventory and the hosts.' } };
    const sent = listOfHosts(call, services.settings.get('BULK_HOST_MAX_CREATE'), (most, count) =>
      refused(`${count} hosts are more than the ${most} of BULK_HOST_MAX_CREATE.`),
    );
    const hosts = await readHosts(services.catalog!, sent);
    const made = await create(services.catalog!, call, Number(call.body.inventory), hosts);
    return { status: 201, body: made };
  },
});

/** @throws ValidationError that tells for each of the hosts what is wrong with it */
async function readHosts(catalog: Catalog, sent: readonly unknown[]): Promise<Columns[]> {
  const model = catalog.type('host');
  const own = new Map([...model.fields].filter(([name]) => name !== 'inventory'));
  const read = await Promise.all(
    sent.map(async (one) => {
      if (typeof one !== 'object' || one === null || Array.isArray(one))
        return { errors: { non_field_errors: ['A host is an object with at least a name.'] } };
      const { input, errors } = await validateBody({ fields: own }, one as Call['body'], 'create', catalog.longest);
      if (Object.keys(errors).length) return { errors };
      return prepareHost({ input }).then(
        () => ({ input, errors: {} }),
        (error: unknown) => ({ errors: fieldErrors(error) }),
      );
    }),
  );
  if (read.some(({ errors }) => Object.keys(errors).length))
    throw new ValidationError({ hosts: read.map(({ errors }) => errors) });
  return read.map((one) => ('input' in one ? one.input : {}));
}

async function create(catalog: Catalog, call: Call, id: number, hosts: readonly Columns[]) {
  const model = catalog.type('host');
  const author = call.actor && call.actor.id > 0 ? call.actor.id : null;
  const names = hosts.map(({ name }) => String(name));
  const rows = await inTransaction(catalog.db, model.resource, async (trx) => {
    const inventory: Row | undefined = await trx('inventories').where({ id }).forKeyShare().first();
    await assertTakes(trx, call, inventory);
    assertNoneTwice(names);
    await claimNames(trx, id, names);
    const made: Row[] = await trx('hosts')
      .insert(hosts.map((host) => ({ ...host, inventory_id: id, created_by_id: author, modified_by_id: author })))
      .returning('*');
    await assertHostLimit(
      trx,
      id,
      made.map((row) => row.id),
    );
    await catalog.doors?.check('host', 'create', { trx, actor: call.actor, rows: made });
    const sides = made.map((row) => ({ model, row }));
    await catalog.activity?.together(trx, catalog, call, 'create', sides);
    return made;
  });
  const url = catalog.url('inventory', id);
  const shown = rows.map(({ id: host, name, enabled, instance_id, description, variables }) => ({
    id: host,
    name,
    enabled,
    instance_id,
    description,
    variables,
    url: model.url(host),
    inventory: url,
  }));
  return { url, hosts: shown };
}

/** Every refusal is 400, as clients know it. */
async function assertTakes(trx: Knex, { actor }: Call, inventory: Row | undefined): Promise<void> {
  if (!inventory) throw ValidationError.field('inventory', 'The inventory is gone.');
  if (!(await administers.row(actor, inventory, trx)))
    throw refused('Hosts are made by who administers the inventory.');
  if (inventory.pending_deletion) throw refused('The inventory is being deleted.');
  if (inventory.kind) throw refused(`A ${String(inventory.kind)} inventory takes its hosts from elsewhere.`);
}
