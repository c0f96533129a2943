import { expect } from 'chai';
import { mergeArtifacts } from '../../core/run-kinds/workflow-job/advance/artifacts.ts';
import { artifactHolds, decideSteps } from '../../core/run-kinds/workflow-job/advance/decide.ts';
import type { GraphLink, GraphNode } from '../../core/run-kinds/workflow-job/advance/graph.ts';

const node = (id: number, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  template: 1,
  all: false,
  skipped: false,
  job: null,
  outcome: null,
  retries: 0,
  attempts: 0,
  failed_s: null,
  news: false,
  ...more,
});
const went = (id: number, outcome: GraphNode['outcome'], more: Partial<GraphNode> = {}) =>
  node(id, { job: id + 100, outcome, ...more });
const runs = (id: number) => node(id, { job: id + 100 });
const link = (parent: number, child: number, kind: GraphLink['kind'], more: Partial<GraphLink> = {}): GraphLink => ({
  parent,
  child,
  kind,
  trigger: 'success',
  operator: 'eq',
  expected: '',
  expression: '',
  holds: null,
  inVain: 0,
  inVain_s: 0,
  artifact: null,
  ...more,
});
const decided = (nodes: GraphNode[], links: GraphLink[], canceled = false) => {
  const { launch, skip, end, later } = decideSteps({ nodes, links }, { canceled });
  return { launch: launch.map(({ id }) => id), skip, end: end?.status, later };
};
const nothing = { launch: [], skip: [], end: undefined, later: undefined };

describe('what is next in a workflow', () => {
  it('begins with all that nothing comes before, and ends at once where there is nothing', () => {
    expect(decided([node(1), node(2), node(3)], [link(1, 3, 'success')])).to.deep.include({ launch: [1, 2], skip: [] });
    expect(decided([], [])).to.deep.include({ end: 'successful' });
  });

  it('takes the links of an outcome, and marks all that cannot run any more in one pass', () => {
    const links = [link(1, 2, 'success'), link(1, 3, 'failure'), link(1, 4, 'always'), link(2, 5, 'success')];
    const nodes = [1, 2, 3, 4, 5].map((id) => node(id));
    const after = (outcome: GraphNode['outcome']) => decided([went(1, outcome), ...nodes.slice(1)], links);
    expect(after('successful')).to.deep.include({ launch: [2, 4], skip: [3] });
    for (const bad of ['failed', 'error', 'canceled'] as const)
      expect(after(bad)).to.deep.include({ launch: [3, 4], skip: [2, 5] });
  });

  it('marks what is reached and has nothing to launch as failed, and takes its ways for failures', () => {
    const links = [link(1, 2, 'failure'), link(1, 3, 'success')];
    const nodes = [node(1, { template: null }), node(2), node(3, { template: null })];
    const { fail, launch, skip } = decideSteps({ nodes, links }, { canceled: false });
    expect([fail, launch.map(({ id }) => id), skip]).to.deep.equal([[1], [2], [3]]);
    const marked = decideSteps(
      { nodes: [node(1, { template: null, outcome: 'error' }), ...nodes.slice(1)], links },
      { canceled: false },
    );
    expect([marked.fail, marked.launch.map(({ id }) => id)]).to.deep.equal([[], [2]]);
  });

  it('waits for every parent, and then asks for one satisfied link or for all', () => {
    const links = [link(1, 3, 'success'), link(2, 3, 'success')];
    for (const all of [false, true]) {
      expect(decided([went(1, 'successful'), runs(2), node(3, { all })], links)).to.deep.include(nothing);
      expect(decided([went(1, 'successful'), went(2, 'successful'), node(3, { all })], links).launch).to.deep.equal([
        3,
      ]);
    }
    const failed = [went(1, 'failed'), runs(2)];
    expect(decided([...failed, node(3)], links)).to.deep.include(nothing);
    // it will not come to all of them, whatever the other does
    expect(decided([...failed, node(3, { all: true })], links).skip).to.deep.equal([3]);
    expect(decided([went(1, 'failed'), went(2, 'successful'), node(3)], links).launch).to.deep.equal([3]);
  });

  it('fails for a failure that nothing follows, and for a node that is reached and has nothing to launch', () => {
    expect(decided([went(1, 'failed')], []).end).to.equal('failed');
    expect(decided([went(1, 'failed'), went(2, 'successful')], [link(1, 2, 'failure')]).end).to.equal('successful');
    expect(decided([went(1, 'failed'), node(2, { skipped: true })], [link(1, 2, 'success')]).end).to.equal('failed');
    expect(decided([node(1, { template: null })], []).end).to.equal('failed');
    const reached = [node(1, { template: null }), node(2)];
    expect(decided(reached, [link(1, 2, 'failure')]).launch).to.deep.equal([2]);
    expect(decided([went(1, 'successful'), node(2, { template: null })], [link(1, 2, 'failure')])).to.deep.include({
      skip: [2],
      end: 'successful',
    });
  });

  it('tries again after longer and longer pauses, never what could not begin or was canceled', () => {
    const failing = (attempts: number, failed_s: number | null) =>
      decided([went(1, 'failed', { retries: 3, attempts, failed_s })], []);
    expect(failing(0, 0)).to.deep.include({ launch: [1], end: undefined });
    expect(failing(1, 1)).to.deep.include({ launch: [], later: 3, end: undefined });
    expect(failing(1, 4)).to.deep.include({ launch: [1] });
    expect(failing(0, null)).to.deep.include({ launch: [], end: 'failed' });
    expect(decided([went(1, 'failed', { retries: 3, failed_s: 9 })], [], true)).to.deep.include({ launch: [] });
  });

  it('launches nothing once it is canceled, and ends when nothing runs any more', () => {
    expect(decided([runs(1), node(2)], [link(1, 2, 'success')], true)).to.deep.include({ skip: [2], end: undefined });
    expect(decided([went(1, 'canceled'), node(2)], [link(1, 2, 'always')], true).end).not.to.equal(undefined);
  });

  it('holds an artifact against a condition by type, then as text', () => {
    const holds = (artifact: string | null, expected: string, operator: 'eq' | 'ne' = 'eq') =>
      artifactHolds({ artifact, expected, operator });
    expect([holds('3', '3'), holds('"3"', '3'), holds('true', 'true'), holds('{"a":[1]}', '{"a": [1]}')]).to.deep.equal(
      Array(4).fill(true),
    );
    expect([holds('true', '1'), holds('1', 'true'), holds(null, ''), holds(null, 'x', 'ne')]).to.deep.equal(
      Array(4).fill(false),
    );
    expect(holds('4', '3', 'ne')).to.equal(true);
  });

  it('takes a condition that holds for its outcome, and waits for one that is not judged', () => {
    const condition = (holds: boolean | null, more: Partial<GraphLink> = {}) =>
      link(1, 2, 'condition', { holds, ...more });
    const after = (outcome: GraphNode['outcome'], one: GraphLink) => decided([went(1, outcome), node(2)], [one]);
    expect(after('successful', condition(true)).launch).to.deep.equal([2]);
    expect(after('successful', condition(false)).skip).to.deep.equal([2]);
    expect(after('successful', condition(null))).to.deep.equal(nothing);
    for (const holds of [true, null])
      expect(after('failed', condition(holds))).to.deep.include({ skip: [2], end: 'failed' });
    // whether the failure counts depends on it, too
    const done = [went(1, 'failed'), went(2, 'successful')];
    const handles = (holds: boolean | null) => decided(done, [condition(holds, { trigger: 'failure' })]).end;
    expect([handles(true), handles(false), handles(null)]).to.deep.equal(['successful', 'failed', undefined]);
    const two = [link(1, 3, 'condition'), link(2, 3, 'success')];
    const both = (all: boolean) => decided([went(1, 'successful'), went(2, 'successful'), node(3, { all })], two);
    expect([both(false).launch, both(true).launch]).to.deep.equal([[3], []]);
  });

  it('looks at a thousand nodes in no time worth telling', () => {
    const nodes = Array.from({ length: 1000 }, (_, at) => (at < 500 ? went(at + 1, 'successful') : node(at + 1)));
    const links = nodes.slice(1).map(({ id }) => link(id - 1, id, 'success'));
    expect(decided(nodes, links)).to.deep.include({ launch: [501], skip: [] });
  });

  it('merges how hosts went on ways that meet, and lets the last of them say everything else', () => {
    const [first, second] = [
      { svc_stats_failed: true, svc_stats_failed_hosts: ['a'], svc_stats_hosts_truncated: false, made: 1 },
      { svc_stats_failed: false, svc_stats_failed_hosts: ['b', 'a'], svc_stats_hosts_truncated: false, made: 2 },
    ];
    const both = { svc_stats_failed: true, svc_stats_failed_hosts: ['a', 'b'], svc_stats_hosts_truncated: false };
    expect(mergeArtifacts([first, second])).to.deep.equal({ ...both, made: 2 });
    expect(mergeArtifacts([second])).to.deep.equal(second);
    const many = (from: number) => Array.from({ length: 600 }, (_, at) => `host ${from + at}`);
    const merged = mergeArtifacts(
      [0, 600].map((from) => ({ svc_stats_changed_hosts: many(from), svc_stats_hosts_truncated: false })),
    );
    expect(merged).to.include({ svc_stats_hosts_truncated: true });
    expect(merged['svc_stats_changed_hosts']).to.have.lengthOf(1000);
  });
});
