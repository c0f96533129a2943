import { expect } from 'chai';
import { placeFor } from '../../core/dispatch/place.ts';
import { cpuCapacity, memoryCapacity, totalCapacity } from '../../core/nodes/capacity.ts';
import { type Active, type Candidate, decide, type Holder } from '../../core/dispatch/decide.ts';

const node = (id: number, capacity: number, consumed = 0) => ({ id, hostname: `n${id}`, capacity, consumed });
/** As a job of template 5 and project 7 says of itself. */
const job = (id: number, over: Partial<Candidate> = {}): Candidate => ({
  id,
  kind: 'job',
  name: `job ${id}`,
  priority: 0,
  shape: null,
  needs: 'engine',
  holds: ['template:5'],
  waits_for: ['template:5', 'project:7'],
  impact: 6,
  pending_reasons: [],
  dependencies: [],
  updates: [],
  ...over,
});
const simultaneous = { waits_for: ['project:7'] };
const update = (id: number) =>
  job(id, { kind: 'project_update', holds: ['project:7'], waits_for: ['project:7'], impact: 1 });
const running = ({ id, kind, holds }: Candidate): Holder => ({ id, kind, holds, status: 'running' });
const judge = (
  candidates: Candidate[],
  { holders = [] as Holder[], active = [] as Active[], nodes = [node(1, 100)] } = {},
) =>
  decide({ candidates, holders, active, nodes }).map((one) => [
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
    expect(judge([job(2)], { holders: [running(job(1))] })).to.deep.equal([[2, 'block', 'template:5']]);
  });

  it('lets simultaneous runs go beside each other, but not a careful one beside them', () => {
    expect(judge([job(1, simultaneous), job(2, simultaneous), job(3)]).map(([, what]) => what)).to.deep.equal([
      'assign',
      'assign',
      'block',
    ]);
  });

  it('does not start a job while its project is being updated, nor a second update', () => {
    const holders = [running(update(9))];
    expect(judge([job(1), update(2)], { holders })).to.deep.equal([
      [1, 'block', 'project:7'],
      [2, 'block', 'project:7'],
    ]);
    const [shared, inLine] = decide({ candidates: [job(1), update(2)], holders, active: [], nodes: [] });
    expect([shared, inLine].map((one) => (one as any).reason.code)).to.deep.equal(['project_update', 'concurrency']);
  });

  it('asks for an update before the launch unless the last one is fresh, and shares one under way', () => {
    const needs = (fresh: boolean) => job(1, { updates: [{ template: 7, fresh }] });
    expect(judge([needs(false)])).to.deep.equal([[1, 'update', '']]);
    expect(judge([needs(true)])).to.deep.equal([[1, 'assign', 1]]);
    const active = [{ id: 9, kind: 'project_update', template: 7 }];
    expect(judge([needs(true)], { active })).to.deep.equal([[1, 'update', '']]);
  });

  it('sends what needs no node where it goes, whatever the nodes carry', () => {
    expect(
      judge([job(1, { needs: 'task' }), job(2, { needs: 'nobody', holds: [], waits_for: [] })], { nodes: [] }),
    ).to.deep.equal([
      [1, 'queue', ''],
      [2, 'begin', ''],
    ]);
    expect(judge([job(1, { needs: 'task' }), job(2)])).to.deep.equal([
      [1, 'queue', ''],
      [2, 'block', 'template:5'],
    ]);
  });

  it('waits for dependencies and falls with them', () => {
    const dependency = (status: string) => [{ id: 9, kind: 'project_update', name: 'P', status }];
    expect(judge([job(1, { dependencies: dependency('running') })])).to.deep.equal([[1, 'block', 'run:9']]);
    expect(judge([job(1, { dependencies: dependency('successful') })])).to.deep.equal([[1, 'assign', 1]]);
    const [failed] = decide({
      candidates: [job(1, { dependencies: dependency('error') })],
      holders: [],
      active: [],
      nodes: [],
    });
    expect(failed).to.deep.equal({
      run: 1,
      do: 'fail',
      explanation: 'Previous Task Failed: {"job_type":"project_update","job_name":"P","job_id":"9"}',
    });
    expect(judge([job(1, { dependencies: dependency('canceled') })])).to.deep.equal([[1, 'cancel', '']]);
  });

  it('fills nodes up to their capacity and says what is lacking', () => {
    const many = [1, 2, 3, 4].map((id) => job(id, { holds: [], waits_for: [], impact: 50 }));
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
