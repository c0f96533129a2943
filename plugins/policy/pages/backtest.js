import { attempt, post, Table, When, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';

const columns = [
  { label: t`Launch`, cell: ({ resource_name: name, unified_job: job }) => (job ? `${name} (${job})` : name) },
  { label: t`Decision`, cell: ({ decision }) => decision },
  { label: t`Messages`, cell: ({ messages }) => messages.join('; ') },
  { label: t`When`, cell: ({ created }) => h(When, { at: created }) },
];

/** What the policy would have said of past launches, as far as their contexts are kept. */
export function Backtest({ row }) {
  const told = useSignal(null);
  const run = () =>
    attempt(async () => void (told.value = await post(`policies/${row.id}/backtest/`, {})), { whose: row.name });
  return h(
    Fragment,
    null,
    h(
      'p',
      { class: 'tab-actions' },
      h('button', { type: 'button', onClick: () => void run() }, t`Try it on past launches`),
    ),
    told.value && h(Verdicts, told.value),
  );
}

const Verdicts = ({ count, allowed, warned, denied, results }) =>
  count
    ? h(
        Fragment,
        null,
        h('p', { role: 'status' }, t`Of ${count} launches: ${allowed} allowed, ${warned} warned of, ${denied} denied.`),
        results.length > 0 &&
          h(Table, {
            caption: t`Launches`,
            columns,
            rows: results,
            rowKey: ({ unified_job: job, created }) => `${job} ${created}`,
          }),
      )
    : h('p', { class: 'empty' }, t`No context is kept: POLICY_CONTEXTS_KEPT_DAYS says for how long they are.`);
