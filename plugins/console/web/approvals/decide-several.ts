import { type BulkAction, may, post, type Row, t } from '@tapline/console-kit';

const open = (row: Row) => row['can_approve_or_deny'] === true && row['user_has_voted'] !== true;

/** With several approvals that wait. */
export const decideSeveral: readonly BulkAction<Row>[] = [
  {
    verb: t`Approve`,
    doing: t`Approving`,
    done: t`approved, or has your vote`,
    warning: t`Their workflows go on along the links for success, as soon as they have all votes that they need.`,
    keep: t`Decide later`,
    harmless: true,
    fits: (row) => open(row) && may(row, 'start'),
    act: ({ id }) => post(`workflow_approvals/${id}/approve/`),
  },
  {
    verb: t`Deny`,
    doing: t`Denying`,
    done: t`denied`,
    warning: t`Their workflows go on along the links for failure, if they have any.`,
    keep: t`Decide later`,
    fits: open,
    act: ({ id }) => post(`workflow_approvals/${id}/deny/`),
  },
];
