import { type BulkAction, may, post, type Row } from '@tapline/console-kit';

const open = (row: Row) => row['can_approve_or_deny'] === true && row['user_has_voted'] !== true;

/** With several approvals that wait. */
export const decideSeveral: readonly BulkAction<Row>[] = [
  {
    verb: 'Approve',
    doing: 'Approving',
    done: 'approved, or has your vote',
    warning: 'Their workflows go on along the links for success, as soon as they have all votes that they need.',
    keep: 'Decide later',
    harmless: true,
    fits: (row) => open(row) && may(row, 'start'),
    act: ({ id }) => post(`workflow_approvals/${id}/approve/`),
  },
  {
    verb: 'Deny',
    doing: 'Denying',
    done: 'denied',
    warning: 'Their workflows go on along the links for failure, if they have any.',
    keep: 'Decide later',
    fits: open,
    act: ({ id }) => post(`workflow_approvals/${id}/deny/`),
  },
];
