import { expect } from 'chai';
import { type ScanStage, startScanStage } from './stage.ts';

const issue = (rule: string, line = 3) => ({
  check_name: rule,
  severity: 'major',
  description: `About ${rule}.`,
  location: { path: 'site.yml', lines: { begin: line } },
});
const print = (issues: object[]) => `cat <<'END'\n${JSON.stringify(issues)}\nEND\nexit 2`;

/**
 * What a tool does, and what comes of it: the status of the result, and of the launch with enforcement warn and fail mode allow,
 * warn and deny, enforce and allow, enforce and deny. What a real tool cannot be made to do is done by a script in its place.
 */
const table: [what: string, script: string | undefined, status: string, launches: [number, number, number, number]][] =
  [
    ['finds nothing', 'echo "[]"', 'ok', [201, 201, 201, 201]],
    ['finds something below the threshold', print([issue('ignore-errors')]), 'ok', [201, 201, 201, 201]],
    ['finds something', print([issue('risky-file-permissions')]), 'warn/blocked', [201, 201, 403, 403]],
    ['is missing', undefined, 'error', [201, 403, 201, 403]],
    ['hangs', 'sleep 600', 'timeout', [201, 403, 201, 403]],
    ['leaves children that hang', 'sleep 600 & sleep 600 & wait', 'timeout', [201, 403, 201, 403]],
    ['says nothing and ends with 2', 'exit 2', 'error', [201, 403, 201, 403]],
    ['finds nothing and ends with 2', 'echo "[]"; exit 2', 'error', [201, 403, 201, 403]],
    ['writes half a document', `echo '[{"check_name": '; exit 2`, 'error', [201, 403, 201, 403]],
    ['writes something else', `echo '{"a": 1}'`, 'error', [201, 403, 201, 403]],
    ['writes without end', 'yes', 'error', [201, 403, 201, 403]],
    ['is killed', 'kill -9 $$', 'error', [201, 403, 201, 403]],
  ];

describe('a tool, its enforcement and the fail mode', function () {
  this.timeout(600_000);
  let stage: ScanStage;
  let template: any;

  before(async () => {
    stage = await startScanStage();
    template = await stage.project({ 'site.yml': '- hosts: all\n' });
  });
  after(() => stage?.stop());

  for (const [what, script, status, launches] of table)
    it(`${what}: ${status}`, async () => {
      const tool = script === undefined ? '/no/such/tool' : stage.program(script);
      await stage.set({ SCANNER_COMMANDS: { playbook_lint: tool }, SCANNER_TIMEOUT_S: status === 'timeout' ? 1 : 120 });
      for (const [index, [enforcement, mode]] of [
        ['warn', 'allow'],
        ['warn', 'deny'],
        ['enforce', 'allow'],
        ['enforce', 'deny'],
      ].entries()) {
        const scanner = await stage.scanner({ enforcement, severity_threshold: 'medium' });
        await stage.set({ SCANNER_FAIL_MODE: mode });
        const answer = await stage.launch(template);
        const [result] = await stage.results(`&scanner=${scanner.id}`);
        expect(answer.status, `${enforcement}, ${mode}: ${result.message}`).to.equal(launches[index]);
        const wanted = status === 'warn/blocked' ? (enforcement === 'warn' ? 'warn' : 'blocked') : status;
        expect(result.status).to.equal(wanted);
        expect(result.unified_job).to.equal(answer.status === 201 ? answer.body.id : null);
        if (answer.status === 403)
          expect(answer.body).to.deep.equal({ detail: 'Scanner blocked launch.', reasons: [result.message] });
        else expect(answer.body.job_explanation).to.equal(wanted === 'ok' ? '' : `Scan warnings: ${result.message}`);
        expect(Buffer.byteLength(result.raw_output)).to.be.at.most(8192);
        await stage.admin.delete(scanner.url);
      }
    });
});
