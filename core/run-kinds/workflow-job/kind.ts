import { type RunKind } from '@tapline/plugin-sdk';
import { authenticated } from '../../rbac/rules.ts';
import { cancelTask } from '../../runs/waiting/cancel-task.ts';
import { advanceTask } from '../../runs/waiting/advance.ts';
import { activeStatuses, isTerminal } from '../../runs/states.ts';
import { advanceWorkflow } from './advance/advance.ts';
import { artifactsOf } from './advance/artifacts.ts';
import { mayAdvance } from './advance/may-advance.ts';
import { tookOver } from './advance/took-over.ts';
import { bulkLaunch } from './bulk/route.ts';
import { runNodeResource } from './nodes/run-node.ts';
import { templateNodeResource } from './nodes/template-node.ts';
import { partsOf } from './launch/parts.ts';
import { planWorkflow } from './launch/plan.ts';
import { splitRun } from './launch/split.ts';
import { tellOfApproval } from '../workflow-approval/tell.ts';
import { workflowPrompts } from './prompts.ts';
import { workflowJobAccess } from './rules.ts';
import type { WorkflowServices } from './services.ts';
import { toldNodes } from './told-nodes.ts';
import { workflowTemplateResource } from './template.ts';
import { workflowJobDescriptor } from './workflow-job.ts';

/** A run of others: it launches what its nodes name, as what came before them went. */
export const workflowJobKind = (services: WorkflowServices): RunKind => ({
  kind: 'workflow_job',
  template: 'workflow_job_template',
  needs: 'nobody',
  prompts: workflowPrompts.map(({ name }) => name),
  noted: true,
  notifies: { page: 'workflow', metadata: toldNodes },
  events: { own: true, group: 'workflow_events' },
  access: workflowJobAccess,
  resource: workflowJobDescriptor(services),
  resources: [workflowTemplateResource(services), templateNodeResource(services), runNodeResource(services)],
  routes: [bulkLaunch(services)],
  extends: {
    job_template: {
      sublists: { slice_workflow_jobs: { resource: 'workflow_job', column: 'template_id' } },
    },
    organization: {
      sublists: {
        workflow_job_templates: {
          resource: 'workflow_job_template',
          column: 'organization_id',
          create: true,
          write: authenticated,
        },
      },
    },
  },
  plan: (request) => planWorkflow(services, request),
  split: splitRun,
  parts: (run, most) => partsOf(services.db, run, most),
  advance: (run, look) => advanceWorkflow(services, run, look),
  mayAdvance,
  keeps: tookOver,
  async follow(trx, _parent, child) {
    const { id, kind, status, artifacts: set, parent_part: node } = child;
    // not before those who decide about launches have let it: what they deny asks nobody
    if (status === 'pending' && services.kinds.find(kind)?.staysPending)
      return tellOfApproval(trx, services, child, 'running');
    // of a child that ends before the node is tied to it, the advance that ties it takes the end over
    if (!isTerminal(status)) return;
    const stats = services.settings.get('WORKFLOW_STATS_ARTIFACTS') === true;
    const artifacts = JSON.stringify(await artifactsOf(trx, { id, artifacts: set }, stats));
    await trx('workflow_job_nodes').where({ id: node, job_id: id }).update({ outcome: status, news: true, artifacts });
  },
  async cancel(trx, run) {
    const children: number[] = await trx('runs')
      .where({ parent_id: run.id })
      .whereIn('status', activeStatuses)
      .pluck('id');
    await services.queue.addTasks(trx, [...children.map(cancelTask), advanceTask(run.id)]);
  },
});
