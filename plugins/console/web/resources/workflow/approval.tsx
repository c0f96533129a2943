import { listTab, type Resource, type TabProps, t } from '@tapline/console-kit';
import { decideSeveral } from '../../approvals/decide-several.ts';
import { Decide } from '../../approvals/decide.tsx';

export const approval: Resource = {
  path: 'workflow_approvals',
  type: 'workflow_approval',
  one: t`approval`,
  many: t`approvals`,
  intro: t`Steps of workflows that wait until somebody lets them go on.`,
  order: '-id',
  columns: ['name', 'source_workflow_job', 'status', 'started', 'finished'],
  filters: ['name', 'status', 'started', 'finished'],
  facts: [
    'status',
    'context_message',
    'source_workflow_job',
    'approved_or_denied_by',
    'approvals_received',
    'required_approvals',
    'approval_expiration',
    'on_timeout',
    'job_explanation',
  ],
  parent: () => '/approvals',
  readOnly: true,
  bulk: decideSeveral,
  actions: ({ row, reload }: TabProps) => <Decide row={row} onDone={reload} />,
  tabs: [listTab({ id: 'votes', label: t`Votes`, resource: 'workflow_approval_votes' })],
};

export const vote: Resource = {
  path: 'workflow_approval_votes',
  type: 'workflow_approval_vote',
  one: t`vote`,
  many: t`votes`,
  nameField: 'user_name',
  order: 'id',
  columns: ['user_name', 'vote', 'comment', 'created'],
  filters: ['vote', 'comment', 'created'],
  parent: (row) => `/workflow_approvals/${row['workflow_approval']}?tab=votes`,
  readOnly: true,
};
