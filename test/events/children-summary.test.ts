import { expect } from 'chai';
import { childrenSummary, type TreeEvent } from '../../core/events/children-summary.ts';

/** `event uuid parent`, one per line; counters are the line numbers. */
const events = (text: string): TreeEvent[] =>
  text
    .trim()
    .split('\n')
    .map((line, i) => {
      const [event = '', uuid = '', parent_uuid = ''] = line.trim().split(/ +/);
      return { counter: i + 1, event, uuid, parent_uuid };
    });

describe('the summary of children', () => {
  it('counts all descendants and leaves out events without any', () => {
    const { children_summary, is_tree } = childrenSummary(
      events(`
      playbook_on_start b
      playbook_on_play_start p b
      playbook_on_task_start t1 p
      runner_on_start s t1
      runner_on_ok r t1
      playbook_on_task_start t2 p
      runner_item_on_ok i t2
      playbook_on_stats z b`),
    );
    expect(is_tree).to.equal(true);
    expect(children_summary).to.deep.equal({
      1: { rowNumber: 0, numChildren: 7 },
      2: { rowNumber: 1, numChildren: 5 },
      3: { rowNumber: 2, numChildren: 2 },
      6: { rowNumber: 5, numChildren: 1 },
    });
  });

  it('puts text under the task of the result beside it', () => {
    const { meta_event_nested_uuid, children_summary } = childrenSummary(
      events(`
      verbose v0
      playbook_on_start b
      warning v1
      playbook_on_play_start p b
      playbook_on_task_start t p
      verbose v2
      verbose v3
      runner_on_ok r t
      verbose v4
      playbook_on_stats z b
      verbose v5`),
    );
    expect(meta_event_nested_uuid).to.deep.equal({ 6: 't', 7: 't', 9: 't' });
    expect(children_summary[5]).to.deep.equal({ rowNumber: 4, numChildren: 4 });
    expect(children_summary[2]).to.deep.equal({ rowNumber: 1, numChildren: 7 });
  });

  it('says that interleaved tasks are no tree', () => {
    const summary = childrenSummary(
      events(`
      playbook_on_start b
      playbook_on_play_start p b
      playbook_on_task_start t1 p
      playbook_on_task_start t2 p
      runner_on_ok r t1`),
    );
    expect(summary).to.deep.equal({
      children_summary: {},
      meta_event_nested_uuid: {},
      event_processing_finished: true,
      is_tree: false,
    });
  });

  it('takes a run without any event, and one of text only', () => {
    expect(childrenSummary([])).to.deep.include({ children_summary: {}, is_tree: true });
    expect(childrenSummary(events('verbose a\nverbose b'))).to.deep.include({
      children_summary: {},
      meta_event_nested_uuid: {},
      is_tree: true,
    });
  });
});
