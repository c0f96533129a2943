import { eventLevel, isFreeText } from './vocabulary.ts';

export interface TreeEvent {
  counter: number;
  event: string;
  uuid: string;
  parent_uuid: string;
}

export interface ChildrenSummary {
  children_summary: Record<string, { rowNumber: number; numChildren: number }>;
  meta_event_nested_uuid: Record<string, string>;
  event_processing_finished: boolean;
  is_tree: boolean;
}

const nothing = (fields: Pick<ChildrenSummary, 'event_processing_finished' | 'is_tree'>): ChildrenSummary => ({
  children_summary: {},
  meta_event_nested_uuid: {},
  ...fields,
});
export const unfinishedSummary = nothing({ event_processing_finished: false, is_tree: true });

interface Node {
  uuid: string;
  counter: number;
  rowNumber: number;
  numChildren: number;
}

const result = 3;

/** A tree is four deep: playbook, play, task, result. What goes further is none, nor is what nobody could unfold. */
const deepest = 8;
export const mostEvents = 100_000;
const noTree = nothing({ event_processing_finished: true, is_tree: false });

/** How many events lie below each, for a client that folds them. Events come in counter order. */
export function childrenSummary(events: readonly TreeEvent[]): ChildrenSummary {
  if (events.length > mostEvents) return noTree;
  const branch: Node[] = [];
  const parents: Node[] = [];
  const nested: Record<string, string> = {};
  const tasks = neighbours(events);
  for (const [rowNumber, event] of events.entries()) {
    if (isFreeText(event.event) && !event.parent_uuid) {
      const under = tasks[rowNumber] as string;
      if (under) nested[event.counter] = under;
      count(branch, under);
      continue;
    }
    while (branch.length && (branch.at(-1) as Node).uuid !== event.parent_uuid) branch.pop();
    // the parent is not on the branch that is open: tasks of several hosts are interleaved
    if ((event.parent_uuid && !branch.length) || branch.length >= deepest) return noTree;
    count(branch, event.parent_uuid);
    const node = { uuid: event.uuid, counter: event.counter, rowNumber, numChildren: 0 };
    branch.push(node);
    parents.push(node);
  }
  const filled = parents
    .filter(({ numChildren }) => numChildren > 0)
    .map(({ counter, rowNumber, numChildren }) => [counter, { rowNumber, numChildren }]);
  return {
    children_summary: Object.fromEntries(filled),
    meta_event_nested_uuid: nested,
    event_processing_finished: true,
    is_tree: true,
  };
}

/** One more event below `uuid`, and so below everything above that. */
function count(branch: readonly Node[], uuid: string): void {
  const at = branch.findLastIndex((node) => node.uuid === uuid);
  for (let i = 0; i <= at; i += 1) (branch[i] as Node).numChildren += 1;
}

/** For each place, the task of the result before it, else of the result after it: text belongs there. */
function neighbours(events: readonly TreeEvent[]): string[] {
  const taskOf = (event: TreeEvent) => (eventLevel(event.event) === result ? event.parent_uuid : '');
  const sweep = (order: Iterable<number>) => {
    const found: string[] = Array.from({ length: events.length }, () => '');
    let last = '';
    for (const i of order) {
      const event = events[i] as TreeEvent;
      if (isFreeText(event.event)) found[i] = last;
      else last = taskOf(event);
    }
    return found;
  };
  const before = sweep(events.keys());
  const after = sweep([...events.keys()].toReversed());
  return before.map((task, i) => task || (after[i] as string));
}
