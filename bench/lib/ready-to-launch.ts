import { prepare } from './content.ts';
import type { Service } from './service.ts';

/** A service whose node takes no jobs: only the launch is measured, no engine runs beside it. */
export async function readyToLaunch(
  service: Service,
): Promise<{ template: number; launch(body?: object): Promise<unknown> }> {
  await service.start();
  const { template } = await prepare(service, { 'x.yml': '- hosts: all\n' });
  let nodes: { id: number }[] = [];
  // it joins a moment after the service answers
  while (!nodes.length) nodes = (await service.call('GET', 'instances/')).results;
  for (const { id } of nodes) await service.call('PATCH', `instances/${id}/`, { enabled: false });
  const id = await template('Launched', 'x.yml', { allow_simultaneous: true });
  return { template: id, launch: (body = {}) => service.call('POST', `job_templates/${id}/launch/`, body) };
}
