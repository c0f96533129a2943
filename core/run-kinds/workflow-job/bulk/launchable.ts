import type { Actor, LaunchTemplate, RunKind } from '@tapline/plugin-sdk';
import { launchRule } from '../../../runs/templates/launch-right.ts';
import type { WorkflowServices } from '../services.ts';

export interface Launchable {
  kind: RunKind;
  template: LaunchTemplate & Record<string, unknown>;
}

/** Those of the templates that the actor may launch, by id: a statement for each kind. Upkeep and approvals are no work for bulk. */
export async function launchable(
  { db, kinds }: WorkflowServices,
  actor: Actor | null,
  ids: readonly number[],
): Promise<Map<number, Launchable>> {
  const found = new Map<number, Launchable>();
  for (const kind of kinds.all()) {
    const rule = kind.template === null ? undefined : launchRule(kinds, kind.template);
    if (!rule || kind.unlisted || kind.needs === 'task') continue;
    const rows = db('templates as t')
      .where('t.kind', kind.template)
      .whereRaw('t.id = any (?)', [[...new Set(ids)]]);
    rule.query(actor, rows, 't');
    // a handful of kinds
    // oxlint-disable-next-line no-await-in-loop
    for (const template of await rows.select('t.*')) found.set(template.id, { kind, template });
  }
  return found;
}
