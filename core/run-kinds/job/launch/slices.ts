import { type PlanRequest, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Catalog } from '../../../descriptors/compile.ts';
import { countHosts } from '../../../inventory/host-ids.ts';
import type { PromptValues } from '../../../runs/prompts/prompt.ts';
import type { LaunchTemplate } from './load.ts';

/** Names of hosts that are in every slice. */
export const pinnedHosts = (text: unknown): string[] =>
  String(text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

interface Cutting {
  accepted: PromptValues;
  inventory: LaunchTemplate['inventory'];
  request: PlanRequest;
  catalog: Catalog | undefined;
}

/**
 * Into how many runs a launch is cut (contract/jobs.md §9): no more than there are hosts to share out. undefined where it
 * is not to be cut at all: it is a slice already, a repeated job, or for one host.
 */
export async function slicesOf(
  db: Knex,
  template: LaunchTemplate,
  { accepted, inventory, request, catalog }: Cutting,
): Promise<number | undefined> {
  const { columns = {}, origin, template: id, ahead } = request;
  const wanted = Number(accepted['job_slice_count'] ?? template['job_slice_count'] ?? 1);
  const cut = id !== null && !ahead && columns['job_slice_count'] === undefined && origin.kind !== 'callback';
  if (!cut || wanted <= 1 || !inventory) return undefined;
  const pinned = pinnedHosts(template['job_slice_pinned_hosts']);
  const hosts = await countHosts({ db, ...(catalog && { catalog }) }, inventory.id, pinned).catch(unknown);
  return hosts === undefined ? undefined : Math.max(1, Math.min(wanted, hosts));
}

/** A run on an inventory whose filter does not work tells so when it begins. */
const unknown = (error: unknown): undefined => {
  if (error instanceof SpecError) return undefined;
  throw error;
};
