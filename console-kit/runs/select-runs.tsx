import { t } from '../texts/t.ts';
import type { Run } from '../api/types.ts';
import type { Named } from '../bulk/action.ts';
import { Selection } from '../bulk/selection.tsx';
import { runNoun } from '../resources/run-kinds.ts';
import { runActions } from './run-actions.ts';
import { RunsTable } from './runs-table.tsx';

interface Props {
  caption: string;
  runs: readonly Run[];
  /** the list that they are of, and how many it holds */
  all?: { list: string; count: number };
  reload: () => Promise<void>;
}

const names: Named<Run> = {
  one: t`run`,
  many: t`runs`,
  label: ({ name, type, id }) => `${name} (${runNoun(type)} ${id})`,
};

/** A list of runs of which several can be launched again, canceled or deleted at once. */
export const SelectRuns = ({ caption, runs, all, reload }: Props) => (
  <Selection
    names={names}
    rows={runs}
    actions={runActions}
    {...(all && { all })}
    reload={reload}
    table={(select) => <RunsTable caption={caption} runs={runs} first={select} />}
  />
);
