import { Notice, t } from '@tapline/console-kit';
import type { Switch } from './switches.tsx';

/** What the next start changes, and that nodes have to be told each. */
export function NextStart({ rows }: { rows: readonly Switch[] }) {
  const changed = rows.filter(({ restart }) => restart);
  const [coming, going] = [true, false].map((enabled) => names(changed.filter((row) => row.enabled === enabled)));
  const [first] = rows;
  if (!first || !changed.length) return null;
  const others = first.other_nodes;
  return (
    <Notice tone="warn" title={t`A restart is needed`}>
      {coming && <p>{t`On from the next start of ${first.node} on: ${coming}.`}</p>}
      {going && <p>{t`Off from the next start of ${first.node} on: ${going}.`}</p>}
      <p>{t`Running jobs outlive it.`}</p>
      {others.length > 0 && (
        <p>{t`Others serve as well: ${others.join(', ')}. Nodes with other plugins than the rest refuse to start: switch the same there (“tapline plugins enable” and “disable”), stop all of them, then start them again.`}</p>
      )}
    </Notice>
  );
}

const names = (rows: readonly Switch[]) => rows.map(({ name }) => name).join(', ');
