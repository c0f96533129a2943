import { type Action, ApiError, type Rule } from '@tapline/plugin-sdk';
import { emptyLists, forgotten } from '../../../runs/saved-prompts/move.ts';
import { endApprovalTemplate } from '../../workflow-approval/end-template.ts';
import { approvalFields, dataOf } from '../../workflow-approval/template-fields.ts';
import type { WorkflowServices } from '../services.ts';
import { inTemplate } from './saved.ts';

/** The kind of templates that are a node's own: an approval. Its kind of runs says so of itself. */
const ownTemplates = ({ kinds }: Pick<WorkflowServices, 'kinds'>): string => {
  const own = kinds.all().find(({ unlisted, template }) => unlisted && template !== null);
  if (!own) throw new Error('there is no kind of runs for approvals');
  return own.template!;
};

/** `create_approval_template/` of a node (contract B4). */
export const approvalAction = (services: WorkflowServices, rules: { see: Rule; change: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.change },
  summary: 'Make it an approval',
  fields: approvalFields,
  answers: {
    GET: { schema: { type: 'object' } },
    POST: { status: 201, schema: { type: 'object' } },
  },
  async handler(call, { id }) {
    if (call.method === 'GET') return { status: 200, body: {} };
    const kind = ownTemplates(services);
    const made = await services.db.transaction(async (trx) => {
      const before = await trx('workflow_job_template_nodes').where({ id }).forUpdate().first();
      if (!before) throw new ApiError(404, 'Not found.');
      const { name, description = '', timeout = 0 } = call.body;
      const [template] = await trx('templates')
        .insert({
          kind,
          name,
          description,
          timeout,
          data: JSON.stringify(dataOf(call.body)),
          workflow_id: before.workflow_job_template_id,
          name_scope: `node:${id}:${Date.now()}`,
          created_by_id: call.actor?.id ?? null,
          modified_by_id: call.actor?.id ?? null,
        })
        .returning('*');
      const [node] = await trx('workflow_job_template_nodes')
        .where({ id })
        .update({ ...forgotten, unified_job_template_id: template.id, modified: trx.fn.now() })
        .returning('*');
      await emptyLists(trx, inTemplate, [id]);
      await endApprovalTemplate(trx, services, before.unified_job_template_id);
      await call.written(trx, kind, template);
      await call.written(trx, 'workflow_job_template_node', node, before);
      return template.id as number;
    });
    const [body] = await call.represent(kind, [made]);
    return { status: 201, body, headers: { Location: String(body?.url ?? '') } };
  },
});
