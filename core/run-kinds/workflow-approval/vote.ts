import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { voteAccess } from './rules.ts';

const ro = { mode: 'ro' } as const;
const ofRun = (column: string) => `(select r.${column} from runs r where r.id = {alias}.run_id)`;
const ofParent = (column: string) =>
  `(select w.${column} from runs r join runs w on w.id = r.parent_id where r.id = {alias}.run_id)`;

/** Who said what about a step of a workflow. */
export const voteResource = (): Resource =>
  defineResource({
    type: 'workflow_approval_vote',
    path: 'workflow_approval_votes',
    table: 'workflow_approval_votes',
    label: 'Workflow approval vote',
    description: 'Who approved or denied a step of a workflow, and why.',
    access: voteAccess,
    methods: { list: ['GET'], detail: ['GET'] },
    orderBy: ['id'],
    search: ['comment'],
    fields: {
      workflow_approval: field.ref('workflow_approval', { ...ro, column: 'run_id' }),
      user: field.ref('user', ro),
      vote: field.choice(['approve', 'deny'], ro),
      comment: field.text(ro),
      workflow_approval_name: field.string({ ...ro, sql: ofRun('name') }),
      workflow_job_id: field.integer({ ...ro, sql: ofParent('id') }),
      workflow_job_name: field.string({ ...ro, sql: ofParent('name') }),
      user_name: field.string({ ...ro, sql: '{alias}.username' }),
    },
  });
