import type { Needs } from '@tapline/plugin-sdk';
import { lineReason, runKey } from '../runs/locks.ts';
import { isFailed, isTerminal } from '../runs/states.ts';
import { Look } from './look.ts';
import { type GroupLoad, limitOf, type NodeLoad, placeFor } from './place.ts';

/** A pending run that nothing is known to block. */
export interface Candidate {
  id: number;
  kind: string;
  name: string;
  priority: number;
  /** Of two runs of one shape neither finds a place that the other does not; null: nothing is known of it. */
  shape: string | null;
  needs: Needs;
  holds: string[];
  waits_for: string[];
  impact: number;
  /** instance groups to try, in order; null: whatever node has room */
  groups?: readonly number[] | null;
  pending_reasons: Reason[];
  dependencies: Dependency[];
  /** templates to be run first; `fresh`: their last run is recent enough. Those that the run depends on already are left out. */
  updates: { template: number; fresh: boolean }[];
}

export interface Dependency {
  id: number;
  kind: string;
  name: string;
  status: string;
}

/** A run that is waiting or running. */
export interface Holder {
  id: number;
  kind: string;
  status: string;
  holds: string[];
}

/** A run of a template that somebody needs to be run first. */
export interface Active {
  id: number;
  kind: string;
  template: number;
}

export interface Reason {
  code: string;
  /** for a person, at once */
  text: string;
  /** as clients know it from `job_explanation`, shown there after 30 s */
  explanation?: string;
}

export type Decision =
  /** `engine`: a node has room */
  | { run: number; do: 'assign'; node: NodeLoad; group: GroupLoad | undefined }
  /** `task`: into the queue; `nobody`: it begins to wait */
  | { run: number; do: 'queue' | 'begin' }
  | { run: number; do: 'block'; on: string; reason: Reason }
  | { run: number; do: 'wait'; reason: Reason }
  /** the next look decides */
  | { run: number; do: 'leave' }
  | { run: number; do: 'fail' | 'cancel'; explanation: string }
  | { run: number; do: 'update'; templates: number[] };

export interface Decided {
  candidates: readonly Candidate[];
  holders: readonly Holder[];
  active: readonly Active[];
  nodes: readonly NodeLoad[];
  /** those that a candidate may go to */
  groups?: readonly GroupLoad[];
}

/** contract/jobs.md §11.4, over one snapshot: what becomes of each candidate, in their order. It knows no kind: only what runs hold, wait for and need. */
export function decide({ candidates, holders, active, nodes, groups = [] }: Decided, look = new Look()): Decision[] {
  const room = look.roomOf(nodes, groups);
  const taken = new Map<string, Holder>(holders.flatMap((holder) => holder.holds.map((key) => [key, holder])));
  const decisions = candidates.map((candidate): Decision => {
    const obstacle = dependencyOf(candidate) ?? neededUpdate(candidate, active) ?? conflictOf(candidate, taken);
    if (obstacle) return obstacle;
    const { id, kind, holds, waits_for: keys } = candidate;
    if (keys.some((key) => look.isAwaited(key))) return { run: id, do: 'leave' };
    const decision = startOf(candidate, room);
    if (decision.do === 'wait') return decision;
    for (const key of holds) taken.set(key, { id, kind, status: 'waiting', holds });
    return decision;
  });
  look.goOn(candidates, decisions, room);
  return decisions;
}

/** What is left of it is less after each decision. */
export interface Room {
  nodes: NodeLoad[];
  groups: ReadonlyMap<number, GroupLoad>;
}

/** Nothing is in its way: it goes where it needs to go. */
function startOf(candidate: Candidate, room: Room): Extract<Decision, { do: 'assign' | 'queue' | 'begin' | 'wait' }> {
  const { id, needs, impact } = candidate;
  if (needs === 'task') return { run: id, do: 'queue' };
  if (needs === 'nobody') return { run: id, do: 'begin' };
  const place = candidate.groups ? placeAmong(candidate, room) : { node: placeFor(room.nodes, impact) };
  if (!place.node) return { run: id, do: 'wait', reason: place.reason ?? capacityReason(candidate, room.nodes) };
  const { node, group } = place;
  node.consumed += impact;
  if (group) {
    group.jobs += 1;
    group.forks += impact;
  }
  return { run: id, do: 'assign', node, group };
}

interface Place {
  node?: NodeLoad | undefined;
  group?: GroupLoad;
  reason?: Reason;
}

/** The first of its groups that has room, or why none of them has. */
function placeAmong({ impact, groups }: Candidate, room: Room): Place {
  const refusals: string[] = [];
  for (const id of groups!) {
    const group = room.groups.get(id);
    if (!group) continue;
    const limit = limitOf(group, impact);
    const own = room.nodes.filter((node) => group.nodes.includes(node.id));
    const node = limit === undefined ? placeFor(own, impact) : undefined;
    if (node) return { node, group };
    refusals.push(`"${group.name}": ${limit ?? lackOf(group, own, impact)}`);
  }
  if (!room.nodes.length) return {};
  const text = refusals.length
    ? `No room in ${refusals.join('; ')}.`
    : 'None of its instance groups is there any more.';
  return { reason: { code: 'capacity', text, explanation: noCapacity } };
}

function lackOf({ is_container_group: container, nodes }: GroupLoad, own: readonly NodeLoad[], impact: number): string {
  if (container) return 'it is a place for containers, which this service does not start';
  if (!nodes.length) return 'it has no nodes';
  if (!own.length) return 'none of its nodes takes work now';
  return `needs ${impact} units of capacity, the freest of its nodes has ${freest(own)} left`;
}

const freest = (nodes: readonly NodeLoad[]): number =>
  Math.max(0, ...nodes.map(({ capacity, consumed }) => capacity - consumed));

const noCapacity = 'This job is not ready to start because there is not enough available capacity.';

function dependencyOf({ id, dependencies }: Candidate): Decision | undefined {
  const bad = dependencies.find(({ status }) => isFailed(status));
  if (bad) {
    const json = JSON.stringify({ job_type: bad.kind, job_name: bad.name, job_id: String(bad.id) });
    return bad.status === 'canceled'
      ? { run: id, do: 'cancel', explanation: `Previous Task Canceled: ${json}` }
      : { run: id, do: 'fail', explanation: `Previous Task Failed: ${json}` };
  }
  const open = dependencies.find(({ status }) => !isTerminal(status));
  return open && { run: id, do: 'block', on: runKey(open.id), reason: waitsFor(open, 'dependency') };
}

/** A run of the template that is under way already is shared, whenever the last one ended. */
function neededUpdate({ id, updates }: Candidate, active: readonly Active[]): Decision | undefined {
  const templates = updates
    .filter(({ template, fresh }) => !fresh || active.some((run) => run.template === template))
    .map(({ template }) => template);
  return templates.length ? { run: id, do: 'update', templates } : undefined;
}

function conflictOf(
  { id, holds, waits_for: keys }: Candidate,
  taken: ReadonlyMap<string, Holder>,
): Decision | undefined {
  // what many may wait for together comes before the line that one stands in alone
  const key = [...keys]
    .toSorted((a, b) => Number(holds.includes(a)) - Number(holds.includes(b)))
    .find((one) => taken.has(one));
  if (key === undefined) return undefined;
  const holder = taken.get(key)!;
  const reason = holds.includes(key)
    ? lineReason(holder.status, holder.kind, holder.id)
    : waitsFor(holder, holder.kind);
  return { run: id, do: 'block', on: key, reason };
}

const waitsFor = (run: { id: number; kind: string }, code: string): Reason => ({
  code,
  text: `Waiting for ${run.kind} ${run.id} to finish.`,
  explanation: `waiting for ${run.kind}-${run.id} to finish`,
});

export function capacityReason({ impact }: Pick<Candidate, 'impact'>, nodes: readonly NodeLoad[]): Reason {
  const explanation = noCapacity;
  if (!nodes.length) return { code: 'no_node', text: 'No enabled node is alive.', explanation };
  return {
    code: 'capacity',
    text: `Needs ${impact} units of capacity; the freest of ${nodes.length} nodes has ${freest(nodes)} left.`,
    explanation,
  };
}
