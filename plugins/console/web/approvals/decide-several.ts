import { type BulkAction, may, post, type Row, t } from '@tapline/console-kit';
import { isOpen } from './open.ts';

/** With several approvals that wait. */
export const decideSeveral: readonly BulkAction<Row>[] = [
  {
    verb: t`Approve`,
    doing: t`Approving`,
    done: t`approved, or has your vote`,
    warning: t`Their workflows go on along the links for success, as soon as they have all votes that they need.`,
    keep: t`Decide later`,
    harmless: true,
    fits: (row) => isOpen(row) && may(row, 'start'),
    act: ({ id }) => post(`workflow_approvals/${id}/approve/`),
  },
  {
    verb: t`Deny`,
    doing: t`Denying`,
    done: t`denied`,
    warning: t`Their workflows go on along the links for failure, if they have any.`,
    keep: t`Decide later`,
    fits: isOpen,
    act: ({ id }) => post(`workflow_approvals/${id}/deny/`),
  },
];
