import { type Reply, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../../descriptors/compile.ts';
import { inventoryDocument } from '../../../inventory/document.ts';
import { contentsElsewhere } from '../../../inventory/host-ids.ts';
import { hostsOfLimit } from '../../../inventory/limit-hosts.ts';
import type { LaunchDoor, LaunchRequest } from '../../../runs/start.ts';
import type { Settings } from '../../../settings/settings.ts';

export interface PreviewDeps {
  db: Knex;
  launch: LaunchDoor;
  settings: Pick<Settings, 'get'>;
  readonly catalog?: Catalog;
}

const shownHosts = 200;

const list = { type: 'array', items: { type: 'object' } };
/** What is refused by its fields has no more than these and the hosts. */
export const previewSchema = {
  type: 'object',
  required: ['errors', 'ignored_fields', 'gates', 'hosts'],
  properties: {
    errors: { type: 'object' },
    ignored_fields: { type: 'object' },
    variables: list,
    injected: { type: 'array', items: { type: 'string' } },
    inventory: { type: ['object', 'null'] },
    credentials: list,
    settings: { type: 'object' },
    gates: list,
    hosts: { type: 'object' },
  },
};

/** What a launch would run with, on which hosts, and which gates it would be put before; nothing is made. */
export async function previewLaunch(deps: PreviewDeps, request: LaunchRequest): Promise<Reply> {
  const { plan, gates } = await deps.launch.preview(request);
  const { columns, errors = {}, ignored = {}, record = {} } = plan;
  const hosts = await hostsOf(deps, Number(columns['inventory_id'] ?? 0), String(columns['limit'] ?? ''));
  return { status: 200, body: { errors, ignored_fields: ignored, ...record, gates, hosts } };
}

/** As the inventory is now: what is updated first may change it. `names` is null where the engine alone knows what the limit means. */
async function hostsOf({ db, settings, catalog }: PreviewDeps, inventory: number, limit: string) {
  const row = await db('inventories').where({ id: inventory }).first();
  if (!row) return { count: 0, names: [] };
  const elsewhere = await contentsElsewhere({ db, ...(catalog && { catalog }) }, row).catch(unknown);
  const document = await inventoryDocument(db, inventory, {
    ...elsewhere,
    mostBytes: settings.get('INVENTORY_MAX_BYTES'),
  }).catch(unknown);
  const names = document && hostsOfLimit(document, limit);
  return { count: names?.length ?? null, names: names?.slice(0, shownHosts) ?? null };
}

/** What cannot be read now says so when the job begins. */
const unknown = (error: unknown): undefined => {
  if (error instanceof SpecError) return undefined;
  throw error;
};
