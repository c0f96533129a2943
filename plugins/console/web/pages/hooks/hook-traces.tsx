import { type Column, duration, Status, Table, When } from '@tapline/console-kit';

/** What one tap of a plugin did with one run. */
export interface HookTrace {
  id: number;
  created: string;
  hook: string;
  plugin: string;
  tap: string;
  run: number | null;
  result: string;
  milliseconds: number;
  attempt: number;
  error: string;
  node: string;
}

const tones: Record<string, string> = { ok: 'ok', denied: 'canceled' };

const columns: Column<HookTrace>[] = [
  { label: 'Result', narrow: true, cell: ({ result }) => <Status status={tones[result] ?? 'failed'} label={result} /> },
  {
    label: 'Tap',
    heading: true,
    cell: ({ plugin, tap, hook }) => (
      <>
        {plugin} : {tap}
        <span class="muted sub">{hook}</span>
      </>
    ),
  },
  {
    label: 'Run',
    narrow: true,
    cell: ({ run }) => (run === null ? <span class="muted">gone</span> : <a href={`/jobs?id=${run}`}>{run}</a>),
  },
  { label: 'Try', narrow: true, cell: ({ attempt }) => attempt },
  { label: 'Took', narrow: true, cell: ({ milliseconds }) => duration(Number(milliseconds) / 1000) },
  { label: 'When', narrow: true, cell: ({ created }) => <When at={created} /> },
  { label: 'Error', cell: ({ error }) => error || <span class="muted">–</span> },
];

export const HookTraces = ({ traces }: { traces: readonly HookTrace[] }) => (
  <Table caption="What plugins did" columns={columns} rows={traces} rowKey={({ id }) => id} />
);
