import type { Api } from './api.ts';
import type { PlayName } from './plays.ts';

/** It answers what no client lived to answer. */
const timeoutS = 15;

/** Nodes of whose conditions one holds where the node before it went well, and the other never. */
export const conditioned = { told: 'artifacts.chaos_job is defined', untold: 'artifacts.chaos_job is not defined' };

/**
 * A workflow whose nodes run however those before it end, but for two that are asked for: one, then three of them side by
 * side, of which one always fails and is tried again, then one that waits for all three, then people, then another one.
 */
export async function workflowLaunch(
  api: Api,
  templates: Readonly<Record<PlayName, number>>,
): Promise<[path: string, body: object]> {
  await api.call('PATCH', 'settings/jobs/', { WORKFLOW_ALLOW_SELF_APPROVAL: true });
  const { id } = await api.call('POST', 'workflow_job_templates/', {
    name: 'Chaos',
    organization: 1,
    allow_simultaneous: true,
  });
  const { id: nothing } = await api.call('POST', 'workflow_job_templates/', {
    name: 'Nothing',
    organization: 1,
    allow_simultaneous: true,
  });
  const node = async (identifier: string, play: PlayName | null, ...after: number[]): Promise<number> => {
    const made = await api.call('POST', `workflow_job_templates/${id}/workflow_nodes/`, {
      identifier,
      ...(play === null ? {} : { unified_job_template: templates[play] }),
    });
    for (const parent of after)
      await api.call('POST', `workflow_job_template_nodes/${parent}/always_nodes/`, { id: made.id });
    return made.id;
  };
  const first = await node('first', 'append');
  const fan = [
    await node('one', 'stats', first),
    await node('two', 'fail', first),
    await node('three', 'append', first),
  ];
  await api.call('PATCH', `workflow_job_template_nodes/${fan[1]}/`, { max_retries: 1 });
  for (const [identifier, expression] of Object.entries(conditioned)) {
    const asked = await api.call('POST', `workflow_job_templates/${id}/workflow_nodes/`, {
      identifier,
      unified_job_template: nothing,
    });
    await api.call('POST', `workflow_job_template_nodes/${fan[0]}/condition_nodes/`, { id: asked.id, expression });
  }
  const joined = await node('joined', 'append', ...fan);
  const asks = await node('asks', null, joined);
  await api.call('POST', `workflow_job_template_nodes/${asks}/create_approval_template/`, {
    name: 'Shall we?',
    timeout: timeoutS,
    on_timeout: 'approve',
  });
  await node('last', 'append', asks);
  return [`workflow_job_templates/${id}/launch/`, {}];
}
