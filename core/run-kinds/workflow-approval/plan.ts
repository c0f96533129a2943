import {
  type Columns,
  type LaunchTemplate,
  notFound,
  type PlanRequest,
  type RunPlan,
  saysWhatIsWrong,
} from '@tapline/plugin-sdk';
import { advanceLater } from '../../runs/waiting/advance.ts';
import { safeText } from '../../db/safe-text.ts';
import type { ApprovalServices } from './services.ts';

const mostMessage = 65_536;

/** contract B4: an approval is what its template was when the node was reached. */
export async function planApproval(
  services: ApprovalServices,
  { db, template: id, variables = {}, columns = {} }: PlanRequest,
): Promise<RunPlan> {
  const template: (LaunchTemplate & { data: Record<string, unknown>; timeout: number }) | undefined = await db(
    'templates',
  )
    .where({ id, kind: 'workflow_approval_template' })
    .first();
  if (!template) throw notFound('No Workflow approval template matches the given query.');
  const { queue, sandbox } = services;
  const { context_template: text = '', ...data } = template.data;
  const message = await sandbox.render(String(text), variables, { maxOutput: mostMessage }).catch((error: unknown) => {
    if (!saysWhatIsWrong(error)) throw error;
    return '';
  });
  const { timeout } = template;
  return {
    columns: {
      template_id: template.id,
      workflow_id: (template as Columns)['workflow_id'],
      name: template.name,
      description: template['description'],
      timeout,
      data: JSON.stringify({ ...data, context_message: safeText(message, mostMessage), timed_out: false }),
      ...columns,
    },
    template,
    async write(trx, run) {
      await queue.addTasks(trx, timeout > 0 ? [advanceLater(run.id, timeout)] : []);
    },
  };
}
