import {
  type Action,
  ApiError,
  type Builder,
  type Call,
  defineResource,
  type Field,
  field,
  type Resource,
  type Row,
  type RunKind,
  type RunRow,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { deleteRunEvents } from '../events/partitions.ts';
import type { Settings } from '../settings/settings.ts';
import { ofSeenRun, type Visible } from './access.ts';
import { cancelAction, type CancelDeps } from './cancel.ts';
import { ancestorsOf } from './templates/ancestors.ts';
import { awaitedSql } from './waiting/awaited.ts';
import { eventFields, eventLists } from './event-fields.ts';
import { launcherSql, runFields } from './fields.ts';
import { endNow, isForced } from './force.ts';
import type { RunKinds } from './kinds.ts';
import { isActive } from './states.ts';
import { stdoutAction } from './stdout-action.ts';
import { dependenciesSql, sourceSql } from './templates/summaries.ts';

export interface RunResourceDeps extends CancelDeps {
  db: Knex;
  settings: Settings;
  visible: Visible;
}

/** A run in `new` waits for its hooks' verdict and is shown nowhere. */
export const startedRuns = (builder: Builder, alias: string) => void builder.where(`${alias}.status`, '<>', 'new');

/** What reads never fetch. */
const internal = [
  'handle',
  'prompts',
  'survey_passwords',
  'origin',
  'needs',
  'holds',
  'waits_for',
  'updates_first',
  'shown_by_template',
  'schedule_tick',
  'parent_part',
];

/** The resource of a kind's runs: what it says of itself, with what runs of every kind have. */
export function runResource(deps: RunResourceDeps, kind: RunKind): Resource {
  const { access } = kind;
  const { without, ...resource } = kind.resource;
  const { see, create, delete: remove, ...rights } = access;
  return defineResource({
    orderBy: ['id'],
    search: ['name', 'description'],
    summary: ['id', 'name', 'description', 'status', 'failed'],
    methods: { list: ['GET'], detail: ['GET', 'DELETE'] },
    ...resource,
    type: kind.kind,
    table: 'runs',
    where: { kind: kind.kind },
    listed: startedRuns,
    access: { see, ...(create && { create }), ...(remove && { delete: remove }) },
    rights,
    capabilities: { ...(rights['start'] && { start: 'start' }), ...(remove && { delete: 'delete' }) },
    stream: kind.noted,
    hiddenColumns: [...internal, ...(resource.hiddenColumns ?? [])],
    extraSql: { ...launcherSql, ...dependenciesSql, ...sourceSql, ...resource.extraSql },
    related: (row) => ({
      ...linksTo(deps.kinds, dependenciesOf(row)),
      ...launcherLink(deps.kinds, row),
      ...resource.related?.(row),
    }),
    summaries: summariesWith(deps, resource),
    fields: { ...fieldsOf(without), ...resource.fields },
    sublists: {
      notifications: { resource: 'notification', column: 'run_id' },
      ...(kind.events?.own ? {} : { events: { resource: eventType(kind), column: 'run_id' } }),
      ...resource.sublists,
    },
    actions: { ...runActions(deps, kind), ...resource.actions },
    beforeDelete: (trx, row, call) => assertOver(trx, deps, row, call),
    // events have no foreign key: their table is cut by ranges of run id
    afterDelete: (trx, { id }) => deleteRunEvents(trx, [id]),
  });
}

const summariesWith =
  (deps: Pick<RunResourceDeps, 'kinds'>, resource: Pick<Resource, 'summaries'>): NonNullable<Resource['summaries']> =>
  async (db, rows, call, view) => {
    const own = await resource.summaries?.(db, rows, call, view);
    const ancestors = view === 'detail' ? await ancestorsOf(db, deps.kinds, rows) : undefined;
    return new Map(
      rows.map((row) => [
        row.id,
        {
          ...summariesOf(dependenciesOf(row)),
          ...launcherSummary(row),
          ...ancestors?.get(row.id),
          ...own?.get(row.id),
        },
      ]),
    );
  };

/** What runs of every kind show, but for what this one has not. */
const fieldsOf = (without: readonly string[] = []): Record<string, Field> =>
  Object.fromEntries(Object.entries(runFields).filter(([name]) => !without.includes(name)));

type Dependency = { kind: string; id: number } & Record<string, unknown>;

/** By `dependenciesSql`. */
const dependenciesOf = (row: Row) => row['dependencies'] as Dependency[] | null;

/** What a run waited for, linked under its kind. */
const linksTo = (kinds: RunKinds, dependencies: readonly Dependency[] | null): Record<string, string> =>
  Object.fromEntries(
    (dependencies ?? []).flatMap(({ kind, id }) => {
      const path = kinds.find(kind)?.resource.path;
      return path ? [[kind, `/api/v2/${path}/${id}/`]] : [];
    }),
  );

/** By `sourceSql`: the run that launched this one and follows it. */
const sourceOf = (row: Row) => row['source_run'] as Dependency | null;

function launcherLink(kinds: RunKinds, row: Row): Record<string, string> {
  const source = sourceOf(row);
  const path = source && kinds.find(source.kind)?.resource.path;
  return path ? { [`source_${source.kind}`]: `/api/v2/${path}/${source.id}/` } : {};
}

function launcherSummary(row: Row): Record<string, unknown> {
  const { kind, ...summary } = sourceOf(row) ?? {};
  return kind === undefined ? {} : { [`source_${kind}`]: summary };
}

const summariesOf = (dependencies: readonly Dependency[] | null): Record<string, unknown> =>
  Object.fromEntries((dependencies ?? []).map(({ kind, ...summary }) => [kind, summary]));

const runActions = (deps: RunResourceDeps, { access, needs }: RunKind): Record<string, Action> => ({
  cancel: cancelAction(deps, access),
  // who only waits says nothing
  ...(needs === 'nobody' ? {} : { stdout: stdoutAction(deps, access.see) }),
});

/** Only what is over may go. With force it is ended first, and its node ends the process when it misses the row. */
async function assertOver(trx: Knex, deps: RunResourceDeps, row: Row, call: Call): Promise<void> {
  const force = isForced(call);
  // `new` is an orphan and may go
  if (row['status'] === 'new') return;
  if (!isActive(String(row['status']))) return force ? undefined : assertNotAwaited(trx, deps, row);
  // clients look for exactly these words
  if (!force) throw new ApiError(403, 'Cannot delete running job resource.');
  await endNow(trx, deps, row as unknown as RunRow, call.actor);
}

/** What launched it and still runs goes by how it ended. */
async function assertNotAwaited(trx: Knex, { kinds }: RunResourceDeps, { id }: Row): Promise<void> {
  const awaited = await trx('runs as r').where({ id }).whereRaw(awaitedSql(kinds, 'r')).first('r.id');
  if (awaited) throw new ApiError(403, 'Cannot delete job resource when associated workflow job is running.');
}

const eventType = ({ kind }: RunKind) => `${kind}_event`;

/** Events of a kind that brings no resource for them: listed below its runs, without an address of their own. */
export function eventResource(
  { settings, visible }: Pick<RunResourceDeps, 'settings' | 'visible'>,
  runKind: RunKind,
): Resource {
  const { kind, resource } = runKind;
  const shared = eventLists(settings);
  return defineResource({
    ...shared,
    type: eventType(runKind),
    path: `${kind}_events`,
    label: `${resource.label} event`,
    description: `What a ${resource.label.toLowerCase()} said, step by step.`,
    methods: { list: [], detail: [] },
    access: { see: ofSeenRun(visible, runKind) },
    fields: {
      [kind]: field.ref(kind, { mode: 'ro', column: 'run_id' }),
      ...eventFields,
      event_level: field.integer({ mode: 'ro' }),
    },
    present(shown, row, view, call) {
      shown.url = '';
      shown.host_name ||= 'localhost';
      shared.present(shown, row, view, call);
    },
  });
}
