import { expect } from 'chai';
import { describeWith } from '../../../test/support/needs.ts';
import { unavailable } from '../judge.ts';
import { freePort } from './opa.ts';
import { type PolicyStage, startPolicyStage } from './stage.ts';

/** What the policy says of a launch, and the column of the table. */
const results = {
  allow: {},
  warn: { warn: ['w'] },
  deny: { deny: ['d'] },
  both: { deny: ['d'], warn: ['w'] },
};
const down = ['down, allow', 'down, deny'] as const;

/** Mode of the policy, mode of its organization, and what comes of: allow, warn, deny, both; no engine with fail mode allow, deny. */
const table = `
none    none    pass pass pass pass  pass pass
none    warn    pass pass pass pass  pass pass
none    enforce pass pass pass pass  pass pass
warn    none    pass pass pass pass  pass pass
warn    warn    pass warn warn warn  warn warn
warn    enforce pass warn warn warn  warn warn
enforce none    pass pass pass pass  pass pass
enforce warn    pass warn warn warn  warn warn
enforce enforce pass warn deny deny  warn deny
`
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/));

describeWith(['opa'], 'a policy, its organization and what the engine says', function () {
  this.timeout(300_000);
  let stage: PolicyStage;
  let policy: any;
  let nowhere: string;

  before(async () => {
    stage = await startPolicyStage();
    policy = await stage.echo({ name: 'echo' });
    nowhere = `http://127.0.0.1:${await freePort()}`;
  });
  after(() => stage?.stop());

  async function judged(variables: object, message: string): Promise<string> {
    const before = (await stage.decisions()).length;
    const runs = (await stage.admin.get('jobs/')).body.count;
    const { status, body } = await stage.launch(variables);
    const decisions = await stage.decisions();
    const [decision] = decisions;
    if (status === 403) {
      expect(body).to.deep.equal({
        detail: 'Policy denied launch.',
        reasons: [message],
        policies: [{ id: policy.id, name: 'echo' }],
        decisions: [decision.id],
      });
      expect(decision).to.include({ decision: 'deny', message, unified_job: null, policy: policy.id });
      expect((await stage.admin.get('jobs/')).body.count, 'the job is deleted').to.equal(runs);
      expect(decisions.length).to.equal(before + 1);
      return 'deny';
    }
    expect(status).to.equal(201);
    if (decisions.length === before) {
      expect(body.job_explanation).to.equal('');
      return 'pass';
    }
    expect(decision).to.include({ decision: 'warn', message, unified_job: body.id, policy: policy.id });
    expect(body.job_explanation).to.equal(`Policy warnings: ${message}`);
    return 'warn';
  }

  for (const [mode, organization, ...expected] of table)
    describe(`${mode} in an organization of ${organization}`, () => {
      before(async () => {
        await stage.admin.patch(policy.url, { enforcement: mode });
        await stage.enforce(organization!);
      });

      for (const [at, [what, result]] of Object.entries(results).entries())
        it(`${what}: ${expected[at]}`, async () => {
          expect(await judged({ result }, what === 'warn' ? 'w' : 'd')).to.equal(expected[at]);
        });

      for (const [at, what] of down.entries()) {
        const wanted = expected[at + 4]!;
        it(`${what}: ${wanted}`, async () => {
          await stage.set({
            POLICY_ENGINE_SERVER_URL: nowhere,
            POLICY_ENGINE_FAIL_MODE: what.endsWith('deny') ? 'deny' : 'allow',
          });
          try {
            expect(await judged({}, unavailable[wanted === 'deny' ? 'deny' : 'allow'])).to.equal(wanted);
          } finally {
            await stage.set({ POLICY_ENGINE_SERVER_URL: stage.opa.url });
          }
        });
      }
    });
});
