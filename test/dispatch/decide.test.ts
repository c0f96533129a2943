import { expect } from 'chai';
import { cpuCapacity, memoryCapacity, placeFor, totalCapacity } from '../../core/dispatch/capacity.ts';
import { type Active, type Candidate, decide, type DispatchProject } from '../../core/dispatch/decide.ts';

const node = (id: number, capacity: number, consumed = 0) => ({ id, hostname: `n${id}`, capacity, consumed });
const job = (id: number, over: Partial<Candidate> = {}): Candidate => ({
  id,
  kind: 'job',
  name: `job ${id}`,
  template_id: 5,
  project_id: 7,
  allow_simultaneous: false,
  impact: 6,
  created: '2026-01-01T00:00:00Z',
  dependencies: [],
  project: null,
  ...over,
});
const project = (over: Partial<DispatchProject> = {}): DispatchProject => ({
  id: 7,
  scm_type: 'git',
  scm_update_on_launch: true,
  scm_update_cache_timeout: 0,
  last_update: null,
  ...over,
});
const judge = (
  candidates: Candidate[],
  { active = [] as Active[], nodes = [node(1, 100)], now = Date.parse('2026-01-01T01:00:00Z') } = {},
) =>
  decide({ candidates, active, nodes, now }).map((one) => [
    one.run,
    one.do,
    'on' in one ? one.on : 'node' in one ? one.node.id : 'reason' in one ? one.reason.code : '',
  ]);

describe('dispatch decisions', () => {
  it('starts one run of a template at a time, also within one pass', () => {
    expect(judge([job(1), job(2)])).to.deep.equal([
      [1, 'assign', 1],
      [2, 'block', 'template:5'],
    ]);
    expect(judge([job(2)], { active: [{ id: 1, kind: 'job', template_id: 5, status: 'running' }] })).to.deep.equal([
      [2, 'block', 'template:5'],
    ]);
  });

  it('lets simultaneous runs go beside each other, but not a careful one beside them', () => {
    expect(
      judge([job(1, { allow_simultaneous: true }), job(2, { allow_simultaneous: true }), job(3)]).map(
        ([, what]) => what,
      ),
    ).to.deep.equal(['assign', 'assign', 'block']);
  });

  it('does not start a job while its project is being updated', () => {
    const active = [{ id: 9, kind: 'project_update', template_id: 7, status: 'running' }];
    expect(judge([job(1)], { active })).to.deep.equal([[1, 'block', 'run:9']]);
    expect(judge([job(1, { kind: 'project_update', template_id: 7 })], { active })).to.deep.equal([
      [1, 'block', 'template:7'],
    ]);
  });

  it('asks for an update before the launch unless the last one is fresh', () => {
    const fresh = { status: 'successful', finished: '2026-01-01T00:59:30Z' };
    expect(judge([job(1, { project: project() })])).to.deep.equal([[1, 'update', '']]);
    expect(judge([job(1, { project: project({ last_update: fresh }) })])).to.deep.equal([[1, 'update', '']]);
    expect(judge([job(1, { project: project({ last_update: fresh, scm_update_cache_timeout: 60 }) })])).to.deep.equal([
      [1, 'assign', 1],
    ]);
    expect(
      judge([
        job(1, { project: project({ last_update: { ...fresh, status: 'failed' }, scm_update_cache_timeout: 60 }) }),
      ]),
    ).to.deep.equal([[1, 'update', '']]);
    expect(judge([job(1, { project: project({ scm_type: '' }) })])).to.deep.equal([[1, 'assign', 1]]);
  });

  it('waits for dependencies and falls with them', () => {
    const dependency = (status: string) => [{ id: 9, kind: 'project_update', name: 'P', status }];
    expect(judge([job(1, { dependencies: dependency('running') })])).to.deep.equal([[1, 'block', 'run:9']]);
    expect(judge([job(1, { dependencies: dependency('successful'), project: project() })])).to.deep.equal([
      [1, 'assign', 1],
    ]);
    const [failed] = decide({
      candidates: [job(1, { dependencies: dependency('error') })],
      active: [],
      nodes: [],
      now: 0,
    });
    expect(failed).to.deep.equal({
      run: 1,
      do: 'fail',
      explanation: 'Previous Task Failed: {"job_type":"project_update","job_name":"P","job_id":"9"}',
    });
    expect(judge([job(1, { dependencies: dependency('canceled') })])).to.deep.equal([[1, 'cancel', '']]);
  });

  it('fills nodes up to their capacity and says what is lacking', () => {
    const many = [1, 2, 3, 4].map((id) => job(id, { template_id: id, impact: 50 }));
    expect(judge(many, { nodes: [node(1, 100), node(2, 60)] })).to.deep.equal([
      [1, 'assign', 1],
      [2, 'assign', 2],
      [3, 'assign', 1],
      [4, 'wait', 'capacity'],
    ]);
    expect(judge([job(1)], { nodes: [] })).to.deep.equal([[1, 'wait', 'no_node']]);
  });

  it('runs what is larger than any node alone, on an idle one', () => {
    expect(placeFor([node(1, 10)], 500)?.id).to.equal(1);
    expect(placeFor([node(1, 10, 1)], 500)).to.equal(undefined);
    expect(placeFor([node(1, 0)], 1)).to.equal(undefined);
  });

  it('measures a node by processors and memory', () => {
    expect(cpuCapacity(2)).to.equal(8);
    expect(memoryCapacity(4 * 1024 ** 3)).to.equal(20);
    expect(memoryCapacity(1024 ** 3)).to.equal(1);
    expect([totalCapacity(8, 20, 1), totalCapacity(8, 20, 0), totalCapacity(8, 20, 0.5)]).to.deep.equal([20, 8, 14]);
  });
});
