import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

const NotifyTable = lazily(t`notifications`, () => import('./notify-table.tsx').then((file) => file.NotifyTable));

/** Which notification templates are told of which events of its runs. */
export const notifyTab = ({ approvals = false } = {}): Tab => ({
  id: 'notifications',
  label: t`Notifications`,
  content: ({ row, resource }: TabProps) => <NotifyTable row={row} resource={resource} approvals={approvals} />,
});
