import { expect } from 'chai';
import { currentSection } from '../../core/observe/section.ts';
import policy from '../../plugins/policy/index.ts';
import scanning from '../../plugins/scanning/index.ts';
import { type Stage, startStage } from '../launch/fixture.ts';

describe('policies and scanners that nobody has set up', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => void (stage = await startStage({}, [policy, scanning])));
  after(() => stage?.stop());

  /** What a launch asks of the database for its gates: their tables, and a run that is stored before they are asked. */
  async function statementsForGates(template: number): Promise<string[]> {
    const { db } = stage.services;
    const found: string[] = [];
    const look = ({ sql }: { sql: string }) => {
      // the clock of a plugin may strike meanwhile
      if (currentSection()?.what.startsWith('task ')) return;
      if (/plugin_(policy|scanning)|no_wait/.test(sql)) found.push(sql);
    };
    db.on('query', look);
    try {
      expect((await stage.post(`job_templates/${template}/launch/`, {})).status).to.equal(201);
    } finally {
      db.off('query', look);
    }
    return found;
  }

  it('cost a launch no statement', async () => {
    const template = await stage.template({ allow_simultaneous: true });
    expect(await statementsForGates(template)).to.deep.equal([]);
    const body = { POLICY_ENGINE_ENABLED: true, SCANNER_ENABLED: true };
    expect((await stage.request('PATCH', 'settings/security/', { body })).status).to.equal(200);
    // and those that are on one each, beside that of the run
    const asked = await statementsForGates(template);
    const tables = ['plugin_policy', 'plugin_scanning', 'no_wait'];
    expect(tables.map((table) => asked.filter((sql) => sql.includes(table)).length)).to.deep.equal([1, 1, 1]);
  });
});
