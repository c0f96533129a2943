import {
  type Actor,
  ApiError,
  type Denial,
  type MovedRun,
  notFound,
  type PlanRequest,
  type RunKind,
  type RunPlan,
  type RunRow,
  ValidationError,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Part, runPrepared } from '../db/prepared.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { type DecideDeps, decideLaunch, type Verdict } from './gates/decide-launch.ts';
import type { RunEntries } from './entries.ts';
import { type Gate, gatesOf, noteGates, previewGates } from './gates/gates.ts';
import { insertNew, insertPending, noWait, plannedColumns } from './insert.ts';
import type { RunKinds } from './kinds.ts';
import { givenTexts } from './given-texts.ts';
import { bindLaunch, isUnderKey, noteAnswer } from './launch-key.ts';
import type { Origins } from './origins.ts';
import { answerRefusal, keepRefused, type RefusedLaunch } from './refusal.ts';
import type { Statuses } from './status.ts';

export interface StartDeps extends DecideDeps {
  kinds: RunKinds;
  origins: Origins;
  statuses: Statuses;
  keyRing: Pick<KeyRing, 'encrypt'>;
  entries: RunEntries;
}

export interface LaunchRequest extends Omit<PlanRequest, 'db'> {
  /** of the template; looked up where it is not given, and needed where there is no template */
  kind?: string;
  /** true: somebody waits for the answer, which tells what is wrong, and a refused run goes; false: it is kept as failed with the reasons */
  waiting: boolean;
  /** the user whose rights were judged before, when what is launched now was saved; `authority` is who is judged now */
  standsFor?: number | null;
  /** what is wrong with it whatever its kind says, by field */
  problems?: Readonly<Record<string, string[]>>;
  /** the run that launches it and follows it */
  parent?: number;
  /** where nobody waits: what else follows from a tap's denial, in the transaction that keeps the run */
  denied?(trx: Knex, denial: Denial): Promise<void>;
}

export interface Launched {
  run: RunRow;
  ignored: Record<string, unknown>;
}

/** A run that is stored; `decide` has the last word about it once the transaction that stored it is over. */
export interface Inserted extends Launched, Pick<RunPlan, 'template' | 'uses'> {
  request: LaunchRequest;
}

/**
 * The one way in which runs of every kind begin: planned by their kind, judged by plugins' taps, and stored as `pending`
 * with all that belongs to it: key, entry, messages, figures. Where there are taps, the run commits as `new` first, so
 * that they may refer to it, and no transaction is open while they decide.
 */
export interface LaunchDoor {
  /** Whether taps are asked about launches now, which may take as long as they like. */
  isGated(): boolean;
  /** @throws ValidationError with everything that is wrong at once, ApiError when a tap denies; both only when `waiting` */
  start(request: LaunchRequest): Promise<Launched>;
  /** What is wrong with a launch, by field, without launching; {} when nothing is. @throws ApiError 403 for missing rights */
  check(request: LaunchRequest): Promise<Record<string, unknown>>;
  /** What a launch would store, and what the gates say of it that it would be put before; it stores nothing. */
  preview(request: LaunchRequest): Promise<{ plan: RunPlan; gates: Gate[] }>;
  /** For whoever writes what is launched in the same transaction: `decide` is to be called after its commit. */
  insert(trx: Knex, request: LaunchRequest): Promise<Inserted>;
  decide(inserted: Inserted): Promise<Launched>;
}

export function createLaunchDoor(deps: StartDeps): LaunchDoor {
  const { db, hooks } = deps;

  async function store(
    trx: Knex,
    request: LaunchRequest,
    { kind, plan }: Planned,
    { decided, more }: Storing = { decided: hooks.decidesLaunches() },
  ): Promise<Inserted> {
    if (hasErrors(plan) && request.waiting) throw new ValidationError(plan.errors!);
    const { ignored = {}, template = null, uses = {} } = plan;
    const columns = {
      ...columnsOf(deps, request, { kind, plan }),
      ...(plan.record ? { decision_record: JSON.stringify({ ...plan.record, gates: gatesOf(hooks) }) } : {}),
      ...(request.parent === undefined ? {} : { parent_id: request.parent }),
      ...(request.standsFor === undefined ? {} : { authority_id: request.standsFor }),
    };
    const stored = (run: RunRow): Inserted => ({ run, ignored, request, template, uses });
    const planned = { ...plan, columns };
    if (hasErrors(plan)) return stored(await refuse(deps, trx, await insertNew(trx, deps.keyRing, planned), plan));
    if (plan.ignored) noteAnswer({ ignored_fields: plan.ignored });
    const run = decided
      ? await insertNew(trx, deps.keyRing, planned, more)
      : await insertPending(trx, deps, planned, deps.entries.launching(kind, plan.credentials));
    await plan.write?.(trx, run);
    return stored(decided ? run : await noteLaunch(deps, trx, run as MovedRun, request.actor));
  }

  async function decide({ run, ignored, request, template = null, uses = {} }: Inserted): Promise<Launched> {
    if (run.status !== 'new') return { run, ignored };
    const verdict = await decideLaunch(deps, run, { ...request, template, uses, given: givenTo(request) });
    return { run: await settle(deps, run, verdict, { ...request, template }), ignored };
  }

  return {
    isGated: () => hooks.decidesLaunches(),
    insert: async (trx, request) => store(trx, request, await planned(deps, trx, request)),
    decide,
    async start(request) {
      // before the transaction: reading long variables takes its time
      const ready = await planned(deps, db, request);
      const decided = hooks.decidesLaunches();
      const how = { decided, more: [noWait] };
      const inserted = isOneStatement(deps, request, ready, decided)
        ? await store(db, request, ready, how)
        : await db.transaction((trx) => store(trx, request, ready, how));
      return decide(inserted);
    },
    preview: (request) => preview(deps, request),
    check: async (request) => (await planned(deps, db, request)).plan.errors ?? {},
  };
}

async function preview(deps: StartDeps, request: LaunchRequest): Promise<{ plan: RunPlan; gates: Gate[] }> {
  const ready = await planned(deps, deps.db, request);
  const { plan } = ready;
  if (hasErrors(plan)) return { plan, gates: gatesOf(deps.hooks) };
  const { template = null, uses = {} } = plan;
  const gates = await previewGates(deps, columnsOf(deps, request, ready), {
    ...request,
    template,
    uses,
    given: givenTo(request),
  });
  return { plan, gates };
}

/** Whoever waits has sent the body. */
const givenTo = ({ waiting, parent }: LaunchRequest) => (waiting && parent === undefined ? givenTexts() : {});

const columnsOf = ({ origins }: StartDeps, request: LaunchRequest, { kind, plan }: Planned) => ({
  launch_type: origins.of(request.origin.kind).launchType,
  ...plannedColumns(kind, plan, request),
});

const hasErrors = ({ errors = {} }: RunPlan) => Object.keys(errors).length > 0;

/**
 * Whether one statement stores it all, which is a transaction by itself. Launches of one template wait for each other's
 * commit, since each writes that it is its newest: in a transaction of trips to this process 151 are accepted per second
 * where else 184 are (in turns, eight at a time, on a machine in use).
 */
function isOneStatement(
  { statuses }: StartDeps,
  { parent }: LaunchRequest,
  { kind: { kind }, plan }: Planned,
  decided: boolean,
): boolean {
  if (plan.write || hasErrors(plan)) return false;
  const moving = { ...plan.columns, kind, parent_id: parent ?? null };
  return decided || !(isUnderKey() || statuses.writesAfter(moving, 'pending'));
}

interface Storing {
  /** whether taps are asked before it starts */
  decided: boolean;
  /** where they are: what is to happen within the statement */
  more?: readonly Part[];
}

interface Planned {
  kind: RunKind;
  plan: RunPlan;
}

async function planned({ kinds, origins }: StartDeps, db: Knex, request: LaunchRequest): Promise<Planned> {
  const kind = request.kind === undefined ? await kindOf(kinds, db, request.template) : kinds.of(request.kind);
  if (request.variables && !origins.of(request.origin.kind).variables)
    throw new ApiError(400, {
      variables: [`Launches of origin ${request.origin.kind} carry no variables of their own.`],
    });
  const asked = { ...request, db };
  const plan = await kind.plan(asked);
  if (request.problems) return { kind, plan: { ...plan, errors: { ...plan.errors, ...request.problems } } };
  const splitter = (plan.slices ?? 1) > 1 ? kinds.all().find(({ split }) => split) : undefined;
  return splitter ? { kind: splitter, plan: splitter.split!(asked, plan) } : { kind, plan };
}

const kindStatement = { name: 'kind of a template', text: 'select kind from templates where id = $1' };

async function kindOf(kinds: RunKinds, db: Knex, template: number | null): Promise<RunKind> {
  const [row] = template === null ? [] : await runPrepared<{ kind: string }>(db, kindStatement, [template]);
  const kind = row && kinds.ofTemplate(row.kind);
  if (!kind) throw notFound('No template matches the given query.');
  return kind;
}

/** From `new` to `pending`; null where it was given up meanwhile. */
async function open(
  deps: StartDeps,
  trx: Knex,
  run: RunRow,
  actor: Actor | null,
  explanation: string,
): Promise<MovedRun | null> {
  const fields = { job_explanation: explanation };
  const moved = await deps.statuses.setStatus(trx, run, 'pending', fields, deps.entries.launching(run));
  return moved && noteLaunch(deps, trx, moved, actor);
}

/** From here on it is launched. */
async function noteLaunch({ entries }: StartDeps, trx: Knex, run: MovedRun, actor: Actor | null): Promise<MovedRun> {
  await bindLaunch(trx, run);
  entries.launched(trx, run, actor);
  return run;
}

/** Nobody waits for the answer, so it is kept where somebody will look for it. */
async function refuse({ statuses }: StartDeps, trx: Knex, run: RunRow, { errors = {} }: RunPlan): Promise<RunRow> {
  const reasons = Object.entries(errors).map(
    ([key, value]) => `${key}: ${Array.isArray(value) ? value.join(' ') : String(value)}`,
  );
  const explanation = `The job could not be started. ${reasons.join(' ')}`;
  return (await statuses.setStatus(trx, run, 'failed', { job_explanation: explanation }))!;
}

/** What follows from the taps' verdict. */
async function settle(
  deps: StartDeps,
  run: RunRow,
  { refusal, explanation, answers }: Verdict,
  {
    waiting,
    actor,
    template,
    denied,
  }: Pick<LaunchRequest, 'waiting' | 'actor' | 'denied'> & Pick<RefusedLaunch, 'template'>,
): Promise<RunRow> {
  const refused = refusal && { run, template, actor, refusal };
  if (refused && waiting) return answerRefusal(deps, refused);
  const settled = await deps.db.transaction(async (trx) => {
    await noteGates(trx, deps.hooks, run, answers);
    if (refusal) await denied?.(trx, refusal.denial);
    return refused ? keepRefused(deps, trx, refused, explanation) : open(deps, trx, run, actor, explanation);
  });
  if (!settled)
    throw new ApiError(503, 'The launch took too long to be decided and was given up. Launch again.', {
      'Retry-After': '5',
    });
  return settled;
}
