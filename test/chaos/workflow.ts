import type { Api } from './api.ts';
import type { PlayName } from './plays.ts';

/** It answers what no client lived to answer. */
const timeoutS = 15;

/**
 * A workflow whose every node runs however those before it end: one, then three of them side by side, then one that
 * waits for all three, then people, then another one.
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
