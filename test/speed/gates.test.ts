import { expect } from 'chai';
import { type Stage, startStage } from '../launch/fixture.ts';

describe('Gates of launches that nobody has configured', function () {
  this.timeout(120_000);
  let stage: Stage;

  before(async () => {
    stage = await startStage();
  });
  after(() => stage?.stop());

  /** The statements of plugins that are sent while something is done. */
  async function during(work: () => Promise<{ status: number }>, status: number): Promise<string[]> {
    const { db } = stage.services;
    const sent: string[] = [];
    const note = ({ sql }: { sql: string }) => void sent.push(sql);
    db.on('query', note);
    try {
      expect((await work()).status).to.equal(status);
    } finally {
      db.off('query', note);
    }
    expect(sent.length).to.be.greaterThan(0);
    return sent.filter((sql) => /plugin_(policy|scanning)\b/.test(sql));
  }

  it('are on, and cost a launch no statement', async () => {
    const list = (await stage.get('plugins/')).body;
    expect(JSON.stringify(list)).to.include('"policy"').and.to.include('"scanning"');
    const template = await stage.template({ allow_simultaneous: true });
    expect(await during(() => stage.get('policies/'), 200), 'what is counted').to.have.length.greaterThan(0);
    expect(await during(() => stage.post(`job_templates/${template}/launch/`, {}), 201)).to.deep.equal([]);
    const command = {
      module_name: 'ping',
      inventory: stage.inventory,
      credential: await stage.credential({ credential_type: stage.machineType }),
    };
    expect(await during(() => stage.post('ad_hoc_commands/', command), 201)).to.deep.equal([]);
    const workflow = (await stage.post('workflow_job_templates/', { name: 'w', organization: 1 })).body.id;
    expect(await during(() => stage.post(`workflow_job_templates/${workflow}/launch/`), 201)).to.deep.equal([]);
  });
});
