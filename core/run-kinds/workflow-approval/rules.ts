import type { Access, Rule, RunAccess } from '@tapline/plugin-sdk';
import { parent } from '../../rbac/role-rules.ts';
import { allOf, not, owner, superuser, via } from '../../rbac/rules.ts';
import type { Settings } from '../../settings/settings.ts';

const ofWorkflow = (field: string) => parent('workflow_id', 'workflow_job_template', field);

export const decides = ofWorkflow('approval_role');

/** Four eyes, unless the setting says otherwise: neither who launched it nor whose rights launched it, as of a schedule. */
const anothers = ({ settings }: { readonly settings: Settings }): Rule => {
  const other = allOf(not(owner('created_by_id')), not(owner('authority_id')));
  const allowed = () => settings.get('WORKFLOW_ALLOW_SELF_APPROVAL');
  return {
    name: `${other.name}, or WORKFLOW_ALLOW_SELF_APPROVAL`,
    row: async (actor, row, db) => allowed() || other.row(actor, row, db),
    query: (actor, builder, alias) => void (allowed() || other.query(actor, builder, alias)),
  };
};

const seesApproval = ofWorkflow('read_role');

export const approvalAccess = (services: { readonly settings: Settings }) =>
  ({
    see: seesApproval,
    cancel: superuser,
    delete: superuser,
    deny: decides,
    /** to approve */
    start: allOf(decides, anothers(services)),
  }) satisfies RunAccess;

export const approvalTemplateAccess = {
  see: seesApproval,
  change: ofWorkflow('admin_role'),
  delete: ofWorkflow('admin_role'),
} satisfies Access;

export const voteAccess = { see: via('run_id', 'runs', seesApproval) } satisfies Access;
