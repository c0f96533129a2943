import type { ComponentChildren, VNode } from 'preact';
import type { Query } from '../api/query.ts';
import { Failure, Loading } from './page.tsx';

interface Words {
  /** what could not be loaded: `list of tasks` */
  what: string;
  /** what is waited for: `tasks`; without it nothing is told until something is there */
  loading?: string;
}

/**
 * What a query found, as `draw` has it; before that, that it is loading. Where it could not be read again, the failure stands
 * above: what somebody reads there, or has typed into it, is not lost by a reading that nobody asked for.
 */
export function shown<T>(
  { data, error, reload }: Query<T>,
  { what, loading }: Words,
  draw: (found: T) => ComponentChildren,
): VNode {
  const found = data.value;
  return (
    <>
      {error.value && <Failure error={error.value} what={what} again={reload} />}
      {found === undefined ? !error.value && loading && <Loading what={loading} /> : draw(found)}
    </>
  );
}
