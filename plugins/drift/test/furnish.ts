import type { Stage } from '../../../test/console/stage.ts';
import { type Teller, tellerOf } from './teller.ts';

export interface Shop extends Pick<Teller, 'change'> {
  web: number;
  db: number;
  /** of the web server, as they are now */
  facts: object;
}

const services = { nginx: 'stopped', ssh: 'running' };

/** Two hosts of a shop that drifted, and somebody to tell. */
export async function furnish(stage: Stage): Promise<Shop> {
  const { id: template } = await stage.template('greet.yml');
  const { change } = tellerOf(stage.service, template);
  const { inventory } = stage;
  const host = async (name: string): Promise<number> => (await stage.make('hosts/', { name, inventory })).id;
  const [web, db] = [await host('shop-web'), await host('shop-db')];
  const facts = { kernel: '6.1.0-21', services, motd: '<b>hello</b>' };
  await change(web, { kernel: '6.1.0-18', services: { ...services, nginx: 'running' }, motd: 'hello' });
  await change(web, facts);
  await change(db, { kernel: '6.1.0-18', services: { postgres: 'running' } });
  await change(db, { kernel: '6.1.0-21', services: { postgres: 'running' } });
  await stage.make('notification_templates/', {
    name: 'Operations',
    organization: 1,
    notification_type: 'webhook',
    notification_configuration: { url: 'https://hooks.example.com/', headers: {}, http_method: 'POST' },
  });
  return { web, db, facts, change };
}
