import { type Action, field, type Rule } from '@tapline/plugin-sdk';
import { launchReply } from '../../../runs/templates/reply.ts';
import { workflowPrompts } from '../prompts.ts';
import type { WorkflowServices } from '../services.ts';
import { launchInfo } from './launch-info.ts';

const infoFields = {
  can_start_without_user_input: field.boolean(),
  ...Object.fromEntries(workflowPrompts.map(({ flag }) => [flag, field.boolean()])),
  survey_enabled: field.boolean(),
  variables_needed_to_start: field.list(),
  node_templates_missing: field.list({ help: 'Nodes that have nothing to launch.' }),
  node_prompts_rejected: field.list({ help: 'Nodes whose template does not ask any more for what they keep.' }),
  workflow_job_template_data: field.json({ help: 'Number, name and description of the workflow.' }),
  defaults: field.json({ help: 'What it runs with where nothing is given.' }),
};

/** `launch/` of a workflow: what it will ask for, and the launch (contract B5). */
export const launchAction = (services: WorkflowServices, rules: { see: Rule; execute: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.execute },
  summary: 'Launch the workflow',
  fields: Object.fromEntries(workflowPrompts.map((prompt) => [prompt.name, prompt.field])),
  // which prompts are taken depends on the template
  validate: false,
  bareRow: true,
  answers: {
    GET: { fields: infoFields },
    POST: {
      status: 201,
      type: 'workflow_job',
      fields: { workflow_job: field.integer(), ignored_fields: field.json() },
    },
  },
  launches: 201,
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: await launchInfo(services, row.id) };
    const { run, ignored } = await services.launch.start({
      kind: 'workflow_job',
      template: row.id,
      prompts: call.body,
      actor: call.actor,
      authority: call.actor,
      waiting: true,
      origin: { kind: 'api', id: null, client_ip: call.ip },
    });
    return launchReply(call, run, { status: 201, name: 'workflow_job', extra: { ignored_fields: ignored } });
  },
});
