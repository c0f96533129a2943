import { expect } from 'chai';
import pg from 'pg';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

const asked = 'asked-at-launch-5d20';
const tells = `- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: "told ${asked}"
`;

/** Its process lives, and nobody has written so: the node died in between. */
describe('a run that began when its node died', function () {
  let service: OutageService;
  let client: pg.Client;
  before(async () => {
    service = await startOutageService();
    client = new pg.Client({ connectionString: service.postgres.url });
    // the gate and the server end it
    client.on('error', () => undefined);
    await client.connect();
  });
  after(async () => {
    await client?.end().catch(() => undefined);
    await service?.close();
  });

  it('is taken up with the passwords that were given at its launch, and hides them', async () => {
    const { id: kind } = (await service.get('credential_types/?namespace=ssh')).body.results[0];
    const inputs = { username: 'u', become_password: 'ASK' };
    const credential = (
      await service.post('credentials/', { name: 'Asks', organization: 1, credential_type: kind, inputs })
    ).body.id;
    const template = await service.template(tells);
    await service.post(`job_templates/${template}/credentials/`, { id: credential });
    await client.query(`
      create function nobody_runs() returns trigger language plpgsql as $$ begin raise 'not yet'; end $$;
      create trigger gate before update of status on runs for each row when (new.status = 'running') execute function nobody_runs()`);
    const launched = await service.post(`job_templates/${template}/launch/`, {
      credential_passwords: { become_password: asked },
    });
    expect(launched.status, JSON.stringify(launched.body)).to.equal(201);
    const path = `jobs/${launched.body.job}/`;
    const claimed = async () =>
      (await client.query(`select 1 from runs where id = $1 and handle is not null`, [launched.body.job])).rowCount ===
      1;
    await until(claimed, 60_000, 'the run is claimed');
    await until(() => /recording the start of run \d+ failed/.test(service.node.said), 20_000, 'its process is there');
    await service.node.kill();
    await client.query('drop trigger gate on runs; drop function nobody_runs()');
    service.node.start();
    await until(
      async () => (await service.get(path).catch(() => null))?.body.event_processing_finished === true,
      120_000,
      'the run ends',
    );
    expect((await service.get(path)).body).to.include({ status: 'successful', job_explanation: '' });
    const stdout = (await service.get(`${path}stdout/?format=txt`)).body;
    expect(stdout).to.include('told $encrypted$');
    expect(stdout).not.to.include(asked);
  });
});
