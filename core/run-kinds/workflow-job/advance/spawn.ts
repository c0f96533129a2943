import type { Actor, Row, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { savedLaunch, type SavedLaunch, savedLists } from '../../../runs/saved-prompts/launch.ts';
import type { Inserted, LaunchRequest } from '../../../runs/start.ts';
import { isTerminal } from '../../../runs/states.ts';
import { openVariables } from '../../../secrets/secret-variables.ts';
import { mergeVariables, storedVariables, type Variables } from '../../../yaml/variables.ts';
import { inRun } from '../nodes/saved.ts';
import { handedOn } from '../prompts.ts';
import type { WorkflowServices } from '../services.ts';
import { mergeArtifacts, setBy } from './artifacts.ts';
import type { GraphNode } from './graph.ts';
import { launchNode } from './launch-node.ts';

interface NodeRow extends Row {
  unified_job_template_id: number;
  /** of its template */
  kind: string;
  job_id: number | null;
  columns: Record<string, unknown>;
  /** what its parents hand on, each over what it was handed itself, in the order of the nodes */
  inherited: Variables[];
}

/** What each parent hands on: what came to it, and over that what its run set. */
const inherited = `(select coalesce(jsonb_agg(p.ancestor_artifacts || ${setBy('p')} order by p.id), '[]')
  from workflow_job_node_links l join workflow_job_nodes p on p.id = l.parent_id where l.child_id = n.id and not p.do_not_run)`;

interface Linked {
  node: number;
  job: number | null;
  outcome: string | null;
  ancestor_artifacts: Variables;
  /** the run that was launched before and failed */
  retried: number | null;
  explanation: string;
}

export interface Spawned {
  inserted: Inserted[];
  /** nodes that are left as they are, since nobody could be asked about them now */
  putOff: number;
}

/** Those of a kind that are asked about in vain in one look, while the run is locked; the others of it are put off as well. */
const mostInVain = 2;

/**
 * Launches what nodes name, each tied to its node in the same transaction. In the order of the templates, whose rows are
 * locked on the way: two workflows that launch the same ones at once go one after the other.
 */
export async function spawn(
  trx: Knex,
  services: WorkflowServices,
  run: RunRow,
  ready: readonly GraphNode[],
): Promise<Spawned> {
  if (!ready.length) return { inserted: [], putOff: 0 };
  const rows: NodeRow[] = await trx('workflow_job_nodes as n')
    .whereIn(
      'n.id',
      ready.map(({ id }) => id),
    )
    .orderBy(['n.unified_job_template_id', 'n.id'])
    .join('templates as t', 't.id', 'n.unified_job_template_id')
    .select('n.*', 't.kind', trx.raw(`${inherited} as inherited`));
  const lists = await savedLists(
    trx,
    inRun,
    rows.map(({ id }) => id),
  );
  let common: Common | undefined;
  const inserted: Inserted[] = [];
  const linked: Linked[] = [];
  const putOff: string[] = [];
  for (const row of rows) {
    if (putOff.filter((kind) => kind === row.kind).length >= mostInVain) {
      putOff.push(row.kind);
      continue;
    }
    const artifacts = mergeArtifacts(row.inherited);
    const kind = services.kinds.ofTemplate(row.kind)?.kind;
    // they share the transaction
    // oxlint-disable-next-line no-await-in-loop
    const made = await launchNode(trx, services, row.id, async () => {
      common ??= await handsOn(trx, services, run);
      const saved = savedLaunch(services.keyRing, inRun, row, lists.get(row.id));
      return requestOf(run, { row, kind, artifacts, saved, common });
    });
    if (made === null) {
      putOff.push(row.kind);
      continue;
    }
    if (typeof made !== 'string') inserted.push(made);
    linked.push(linkedTo(row, made, artifacts));
  }
  await tie(trx, linked);
  return { inserted, putOff: putOff.length };
}

function linkedTo(row: NodeRow, made: Inserted | string, artifacts: Variables): Linked {
  const { run, why } = typeof made === 'string' ? { run: null, why: made } : { run: made.run, why: '' };
  const status = run?.status ?? 'error';
  return {
    node: row.id,
    job: run?.id ?? null,
    outcome: isTerminal(status) ? status : null,
    ancestor_artifacts: artifacts,
    retried: row.job_id,
    explanation: why,
  };
}

interface Common {
  actor: Actor | null;
  prompts: Record<string, unknown>;
  honourPrompts: boolean;
  variables: Variables;
  secretVariables: Variables;
}

/** What the run of the workflow says to every node: it counts more than what a node says itself. */
async function handsOn(trx: Knex, { keyRing }: WorkflowServices, run: RunRow): Promise<Common> {
  const sliced = run['is_sliced_job'] === true;
  const {
    extra_vars: _vars,
    survey_passwords: _secret,
    ...given
  } = (sliced ? run['prompts'] : {}) as Record<string, unknown>;
  const set = handedOn.map((name) => [name, run[name === 'inventory' ? 'inventory_id' : name] ?? null] as const);
  const secretVariables = openVariables(keyRing, run as never);
  const own = await storedVariables(String(run['extra_vars'] ?? ''));
  return {
    actor: await actorOf(trx, run.actor_id as number | null),
    // slices are launched as the run that they are parts of was
    prompts: sliced ? given : Object.fromEntries(set.filter(([, value]) => value !== null)),
    honourPrompts: sliced,
    variables: Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(secretVariables, name))),
    secretVariables,
  };
}

async function actorOf(trx: Knex, id: number | null): Promise<Actor | null> {
  const user = id === null ? undefined : await trx('users').where({ id }).first();
  if (!user) return null;
  const { username, is_superuser, is_system_auditor } = user;
  return { id: user.id, username, is_superuser, is_system_auditor, read_only: false, via: 'system' };
}

interface Spawning {
  row: NodeRow;
  /** undefined for templates of a plugin that is off: the launch says so */
  kind: string | undefined;
  artifacts: Variables;
  saved: SavedLaunch;
  common: Common;
}

function requestOf(run: RunRow, { row, kind, artifacts, saved, common }: Spawning): LaunchRequest {
  return {
    ...saved,
    ...(kind === undefined ? {} : { kind }),
    template: row.unified_job_template_id,
    prompts: { ...saved.prompts, ...common.prompts },
    honourPrompts: common.honourPrompts,
    ...variablesOf(artifacts, saved, common),
    actor: common.actor,
    // what its nodes launch was judged when they were made, and what a launch hands on when it was launched
    authority: null,
    standsFor: run.authority_id,
    origin: { kind: 'workflow', id: run.id, client_ip: null },
    belowSchedule: run['schedule_id'] !== null,
    waiting: false,
    parent: run.id,
    columns: { ...row.columns, parent_part: row.id },
  };
}

/** Artifacts count more than what the node says itself, and what the run was given more than both: secret or not, each name stands once. */
function variablesOf(
  artifacts: Variables,
  { secretVariables: own }: Pick<SavedLaunch, 'secretVariables'>,
  { variables: given, secretVariables: hidden }: Pick<Common, 'variables' | 'secretVariables'>,
): Required<Pick<LaunchRequest, 'variables' | 'secretVariables'>> {
  const less = (variables: Variables, over: Variables) =>
    Object.fromEntries(Object.entries(variables).filter(([name]) => !Object.hasOwn(over, name)));
  const variables = less(mergeVariables(artifacts, given), hidden);
  return { variables, secretVariables: mergeVariables(less(own, variables), hidden) };
}

const tie = async (trx: Knex, linked: readonly Linked[]): Promise<void> =>
  trx.raw(
    `update workflow_job_nodes n set job_id = i.job, outcome = i.outcome, news = i.outcome is not null, ancestor_artifacts = i.ancestor_artifacts,
       explanation = i.explanation, artifacts = '{}', modified = now(),
       retry_attempts = n.retry_attempts + case when i.retried is null then 0 else 1 end,
       retried_jobs = n.retried_jobs || case when i.retried is null then '[]' else jsonb_build_array(i.retried) end
     from jsonb_to_recordset(?::jsonb) as i(node bigint, job bigint, outcome text, ancestor_artifacts jsonb, retried bigint, explanation text)
     where n.id = i.node`,
    [JSON.stringify(linked)],
  );
