import type { Stage } from '../../../test/console/stage.ts';
import { tellerOf } from './teller.ts';

/** Two hosts of a shop that drifted, and somebody to tell. */
export async function furnish(stage: Stage): Promise<void> {
  const { id: template } = await stage.template('greet.yml');
  const { change } = tellerOf(stage.service, template);
  const { inventory } = stage;
  const host = async (name: string): Promise<number> => (await stage.make('hosts/', { name, inventory })).id;
  const [web, db] = [await host('shop-web'), await host('shop-db')];
  await change(web, { kernel: '6.1.0-18', services: { nginx: 'running', ssh: 'running' }, motd: 'hello' });
  await change(web, { kernel: '6.1.0-21', services: { nginx: 'stopped', ssh: 'running' }, motd: '<b>hello</b>' });
  await change(db, { kernel: '6.1.0-18', services: { postgres: 'running' } });
  await change(db, { kernel: '6.1.0-21', services: { postgres: 'running' } });
  await stage.make('notification_templates/', {
    name: 'Operations',
    organization: 1,
    notification_type: 'webhook',
    notification_configuration: { url: 'https://hooks.example.com/', headers: {}, http_method: 'POST' },
  });
}
