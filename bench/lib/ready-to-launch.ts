import { prepare } from './content.ts';
import type { Service } from './service.ts';

/** Only launches are measured: no engine runs beside them. */
export async function takeNoJobs(service: Service): Promise<void> {
  let nodes: { id: number }[] = [];
  // it joins a moment after the service answers
  while (!nodes.length) nodes = (await service.call('GET', 'instances/')).results;
  for (const { id } of nodes) await service.call('PATCH', `instances/${id}/`, { enabled: false });
}

/** A service whose node takes no jobs. */
export async function readyToLaunch(
  service: Service,
): Promise<{ template: number; launch(body?: object): Promise<unknown> }> {
  await service.start();
  const { template } = await prepare(service, { 'x.yml': '- hosts: all\n' });
  await takeNoJobs(service);
  const id = await template('Launched', 'x.yml', { allow_simultaneous: true });
  return { template: id, launch: (body = {}) => service.call('POST', `job_templates/${id}/launch/`, body) };
}
