import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { type StoredResult, sarifOf } from '../sarif.ts';

const stored = (more: Partial<StoredResult>): StoredResult => ({
  id: 7,
  tool: 'playbook_lint',
  scanner_name: 'Lint',
  status: 'blocked',
  message: 'Free form.',
  revision: 'c0ffee',
  created: '2030-01-01T00:00:02.000Z',
  duration_ms: 1500,
  findings: [],
  ...more,
});
const finding = {
  rule_id: 'no-free-form',
  severity: 'high',
  file_path: 'roles/a b/tasks/main.yml',
  line: 3,
  message: 'Free form.',
} as const;
const runOf = (more: Partial<StoredResult>) => (sarifOf(stored(more)) as any).runs[0];

/** The schema of SARIF 2.1.0 as the SDK of its makers has it (draft 4: of that it uses nothing that was changed since). */
function officialSchema() {
  const path = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  // one of its patterns is none by the stricter rules
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

describe('a result as SARIF', () => {
  it('is what the schema of the standard says', () => {
    const valid = officialSchema();
    const all = [
      {},
      { status: 'timeout', message: 'Too long.', tool: '' as const },
      { findings: [finding, { ...finding, line: null, accepted: true }, { ...finding, file_path: '', message: '' }] },
      { tool: 'iac_scan' as const, findings: [{ ...finding, file_path: 'ü b/%.yml', line: 0 }], message: '' },
      { tool: 'dependency_audit' as const, created: '2030-01-01T00:00:02.123456Z', revision: '' },
    ];
    for (const more of all) expect(valid(sarifOf(stored(more))), JSON.stringify(valid.errors)).to.equal(true);
    expect(valid({ version: '2.1.0', runs: [{ tool: { driver: {} } }] })).to.equal(false);
  });

  it('names tool, time and commit, and each rule once', () => {
    const { tool, invocations, properties, results } = runOf({
      findings: [finding, { ...finding, line: null }, { ...finding, rule_id: 'other', severity: 'info' }],
    });
    expect(tool.driver.name).to.equal('ansible-lint');
    expect(tool.driver.rules).to.deep.equal([
      { id: 'no-free-form', defaultConfiguration: { level: 'error' }, properties: { 'security-severity': '8.0' } },
      { id: 'other', defaultConfiguration: { level: 'note' }, properties: { 'security-severity': '0.0' } },
    ]);
    expect(invocations).to.deep.equal([
      {
        executionSuccessful: true,
        startTimeUtc: '2030-01-01T00:00:00.500Z',
        endTimeUtc: '2030-01-01T00:00:02.000Z',
      },
    ]);
    expect(properties).to.deep.equal({ revision: 'c0ffee', status: 'blocked' });
    expect(results.map(({ ruleIndex }: any) => ruleIndex)).to.deep.equal([0, 0, 1]);
  });

  it('places findings in files by relative URIs, in lines where they are known', () => {
    const [first, second, third] = runOf({
      findings: [finding, { ...finding, line: null }, { ...finding, file_path: '', message: '' }],
    }).results;
    expect(first.locations[0].physicalLocation).to.deep.equal({
      artifactLocation: { uri: 'roles/a%20b/tasks/main.yml', uriBaseId: '%SRCROOT%' },
      region: { startLine: 3 },
    });
    expect(second.locations[0].physicalLocation).to.not.have.property('region');
    expect(third).to.not.have.property('locations');
    expect(third.message.text).to.equal('no-free-form');
  });

  it('tells of a tool that could not look', () => {
    const { invocations, results, tool } = runOf({ status: 'timeout', message: 'Too long.', tool: '' });
    expect(invocations[0]).to.deep.include({
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: 'error', message: { text: 'Too long.' } }],
    });
    expect(results).to.deep.equal([]);
    expect(tool.driver.name).to.equal('Lint');
  });
});
