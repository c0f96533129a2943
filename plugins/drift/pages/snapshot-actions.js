import { attempt, request, t } from '@tapline/console-kit';
import { h } from 'preact';

/** Compared with another one, and pinned as what its host should be like. */
export const SnapshotActions = ({ row }) => [
  h('a', { class: 'button', href: `/drift/compare?a=${row.id}` }, t`Compare …`),
  h(
    'button',
    {
      type: 'button',
      onClick: () =>
        void attempt(() => request('PATCH', `hosts/${row.host}/`, { body: { drift_baseline: row.id } }), {
          said: t`${row.summary_fields.host.name} is compared with it from now on.`,
        }),
    },
    t`Pin as baseline`,
  ),
];
