import type { RunKind } from '@tapline/plugin-sdk';
import { activeStatuses } from '../states.ts';

const active = activeStatuses.map((status) => `'${status}'`).join(', ');

/** Whether a run that goes on launched this one, or still goes by how it ended: it must not be deleted under it. */
export function awaitedSql(kinds: { all(): Pick<RunKind, 'keeps'>[] }, run: string): string {
  const launched = `exists (select from runs p where p.id = ${run}.parent_id and p.status in (${active}))`;
  return `(${[launched, ...kinds.all().flatMap(({ keeps }) => keeps?.(run) ?? [])].join(' or ')})`;
}
