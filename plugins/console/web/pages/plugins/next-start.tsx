import { Notice } from '@tapline/console-kit';
import type { Switch } from './switches.tsx';

/** What the next start changes, and that nodes have to be told each. */
export function NextStart({ rows }: { rows: readonly Switch[] }) {
  const changed = rows.filter(({ restart }) => restart);
  const [first] = rows;
  if (!first || !changed.length) return null;
  const others = first.other_nodes;
  return (
    <Notice tone="warn" title="A restart is needed">
      <ul>
        {changed.map(({ name, on, enabled }) => (
          <li key={name}>
            {name} {on === enabled ? 'fails in another way' : enabled ? 'comes' : 'goes'} with the next start of{' '}
            {first.node}.
          </li>
        ))}
      </ul>
      <p>Running jobs outlive it.</p>
      {others.length > 0 && (
        <p>
          {others.join(', ')} {others.length > 1 ? 'serve' : 'serves'} as well, and nodes with other plugins than the
          rest refuse to start: switch the same there (“tapline plugins enable” and “disable”), stop all of them, then
          start them again.
        </p>
      )}
    </Notice>
  );
}
