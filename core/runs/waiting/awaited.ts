import type { RunKind } from '@tapline/plugin-sdk';
import { activeSql } from '../states.ts';

/** Whether a run that goes on launched this one, or still goes by how it ended: it must not be deleted under it. */
export function awaitedSql(kinds: { all(): Pick<RunKind, 'keeps'>[] }, run: string): string {
  const launched = `exists (select from runs p where p.id = ${run}.parent_id and ${activeSql('p')})`;
  return `(${[launched, ...kinds.all().flatMap(({ keeps }) => keeps?.(run) ?? [])].join(' or ')})`;
}
