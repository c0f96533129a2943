import { type Column, duration, Status, Table, When, t } from '@tapline/console-kit';

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
  {
    label: t`Result`,
    narrow: true,
    cell: ({ result }) => <Status status={tones[result] ?? 'failed'} label={result} />,
  },
  {
    label: t`Tap`,
    heading: true,
    cell: ({ plugin, tap, hook }) => (
      <>
        {plugin} : {tap}
        <span class="muted sub">{hook}</span>
      </>
    ),
  },
  {
    label: t`Run`,
    narrow: true,
    cell: ({ run }) => (run === null ? <span class="muted">{t`gone`}</span> : <a href={`/jobs?id=${run}`}>{run}</a>),
  },
  { label: t`Try`, narrow: true, cell: ({ attempt }) => attempt },
  { label: t`Took`, narrow: true, cell: ({ milliseconds }) => duration(Number(milliseconds) / 1000) },
  { label: t`When`, narrow: true, cell: ({ created }) => <When at={created} /> },
  { label: t`Error`, cell: ({ error }) => error || <span class="muted">–</span> },
];

export const HookTraces = ({ traces }: { traces: readonly HookTrace[] }) => (
  <Table caption={t`What plugins did`} columns={columns} rows={traces} rowKey={({ id }) => id} />
);
