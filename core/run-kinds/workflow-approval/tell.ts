import type { RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { ApprovalEvent } from '../../notifications/default-messages.ts';
import { noteApproval } from '../../notifications/follow.ts';
import { withoutEndingSlashes } from '../../outbound/addresses.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { Settings } from '../../settings/settings.ts';

export interface TellDeps {
  readonly kinds: RunKinds;
  readonly settings: Settings;
}

/** Word of an approval to whoever asked for it (contract D3), in the transaction of what happened to it. */
export async function tellOfApproval(
  trx: Knex,
  { kinds, settings }: TellDeps,
  run: RunRow,
  event: ApprovalEvent,
): Promise<void> {
  const parent = await trx('runs')
    .where({ id: run.parent_id as number })
    .first('id', 'kind', 'organization_id');
  const template = run['workflow_id'];
  if (!parent || typeof template !== 'number') return;
  const base = withoutEndingSlashes(String(settings.get('TOWER_URL_BASE')));
  const page = kinds.find(parent.kind)?.notifies?.page ?? parent.kind;
  await noteApproval(trx, {
    run: { id: run.id, organization_id: parent.organization_id },
    template,
    event,
    variables: {
      approval_node_name: run.name,
      workflow_url: `${base}/#/jobs/${page}/${parent.id}`,
      context_message: String(run.data['context_message'] ?? ''),
    },
  });
}
