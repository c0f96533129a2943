import { attempt, request } from '@tapline/console-kit';
import { h } from 'preact';

/** Compared with another one, and pinned as what its host should be like. */
export const SnapshotActions = ({ row }) => [
  h('a', { class: 'button', href: `/drift/compare?a=${row.id}` }, 'Compare …'),
  h(
    'button',
    {
      type: 'button',
      onClick: () =>
        void attempt(() => request('PATCH', `hosts/${row.host}/`, { body: { drift_baseline: row.id } }), {
          said: `${row.summary_fields.host.name} is compared with it from now on.`,
        }),
    },
    'Pin as baseline',
  ),
];
