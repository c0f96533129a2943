import { type Denial, type Launch, type PluginApi, stages } from '@tapline/plugin-sdk';
import { mayAdminister } from '../bindings.ts';
import type { Calendar } from '../calendar.ts';
import { type Bound, type Closed, judge } from '../judge.ts';
import type { ReadSpans } from '../spans.ts';

const takes = {
  override_reason:
    'Why it is launched though a calendar does not allow it now: for administrators of the organization of the calendar. It is audited.',
};

/**
 * Every launch, whoever or whatever asks for it. Not judged: updates that a run waits for, since the run was, and approvals, which
 * start nothing.
 */
export function judgeCalendars(api: PluginApi, readSpans: ReadSpans): void {
  const options = { name: 'judge-calendars', stage: stages.policy, failMode: 'deny', preview: true, takes } as const;
  api.hooks.beforeStart(options, async (launch) => {
    if (launch.origin.kind === 'dependency' || launch.run.kind === 'workflow_approval') return undefined;
    const bound = await boundTo(api, launch);
    if (!bound.length) return undefined;
    const now = api.clock.now().getTime();
    const calendars = new Map(bound.map(({ calendar }) => [calendar.id, calendar]));
    const spans = await Promise.all(
      [...calendars.values()].map(async (calendar) => [calendar.id, await readSpans(calendar, now)] as const),
    );
    const closed = judge(bound, new Map(spans), now);
    if (!closed.length || (await isOverridden(api, launch, closed))) return undefined;
    return denialOf(closed, now, await whyNotOverridden(api, launch, closed));
  });
}

async function boundTo({ db, table }: PluginApi, { run, uses }: Launch): Promise<Bound[]> {
  const objects: Record<string, (number | null | undefined)[]> = {
    organization: [run.organization_id, uses.organization?.id],
    inventory: [run.inventory_id, uses.inventory?.id],
    template: [run.template_id],
  };
  const links = Object.entries(objects).map(([what, ids]) =>
    db(table(`${what}_calendars`))
      .whereIn(
        `${what}_id`,
        ids.filter((id): id is number => id != null),
      )
      .select('calendar_id', db.raw(`? || ${what}_id as at`, [`${what} `])),
  );
  const bound = links.reduce((all, link) => all.unionAll(link));
  const rows: (Calendar & { at: string })[] = await db(`${table('calendars')} as c`)
    .join(bound.as('link'), 'link.calendar_id', 'c.id')
    .select('c.id', 'c.name', 'c.organization_id', 'c.kind', 'c.timezone', 'c.windows', 'link.at');
  return rows.map(({ at, ...calendar }) => ({ at, calendar }));
}

const calendarsOf = (closed: readonly Closed[]): Calendar[] => [
  ...new Map(closed.flatMap(({ calendars }) => calendars).map((calendar) => [calendar.id, calendar])).values(),
];

/** By the run that launches it, or by who asks for it with a reason. */
async function isOverridden(api: PluginApi, launch: Launch, closed: readonly Closed[]): Promise<boolean> {
  const { run, actor, given, preview } = launch;
  const calendars = calendarsOf(closed);
  const overrides = api.table('overrides');
  const before: number[] =
    run.parent_id === null ? [] : await api.db(overrides).where({ run_id: run.parent_id }).pluck('calendar_id');
  const left = calendars.filter(({ id }) => !before.includes(id));
  const reason = given['override_reason'];
  if (left.length && (reason === undefined || (await notAdministered(api, launch, left)).length)) return false;
  if (preview) return true;
  await api.db.transaction(async (trx) => {
    await trx(overrides)
      .insert(calendars.map(({ id }) => ({ run_id: run.id, calendar_id: id })))
      // a tap may be asked twice
      .onConflict()
      .ignore();
    for (const { id, name, organization_id: organization } of left)
      // of one transaction
      // oxlint-disable-next-line no-await-in-loop
      await api.audit.record({
        action: 'override',
        actor,
        object: { type: 'calendar', id, name },
        organization,
        changes: { reason, run: run.id, template: run.template_id, launched: run.name },
        trx,
      });
  });
  for (const { name } of calendars)
    launch.explain(
      `Calendar "${name}" was overridden${reason === undefined ? ' for what launched it.' : `: ${reason}`}`,
    );
  return true;
}

async function notAdministered(api: PluginApi, { actor }: Launch, calendars: readonly Calendar[]): Promise<Calendar[]> {
  const administers = mayAdminister(api);
  const may = await Promise.all(calendars.map((calendar) => administers(actor, calendar, api.db)));
  return calendars.filter((_calendar, index) => !may[index]);
}

/** Told to who has tried. */
async function whyNotOverridden(api: PluginApi, launch: Launch, closed: readonly Closed[]): Promise<string[]> {
  if (launch.given['override_reason'] === undefined) return [];
  const others = await notAdministered(api, launch, calendarsOf(closed));
  return others.map(({ name }) => `Calendar "${name}" is overridden by administrators of its organization only.`);
}

const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

function denialOf(closed: readonly Closed[], now: number, more: readonly string[]): Denial {
  const untils = closed.map(({ until }) => until);
  const until = untils.includes(null) ? null : Math.max(...(untils as number[]));
  const shown = closed.flatMap(({ calendars, until: opens }) =>
    calendars.map(({ id, name, kind }) => ({ id, name, kind, until: iso(opens) })),
  );
  return {
    status: 403,
    body: {
      detail: 'The calendar does not allow this launch now.',
      reasons: [...closed.map(reasonOf), ...more],
      calendars: shown,
    },
    ...(until === null
      ? {}
      : { until: iso(until)!, headers: { 'Retry-After': String(Math.max(1, Math.ceil((until - now) / 1000))) } }),
  };
}

function reasonOf({ calendars, until }: Closed): string {
  const names = calendars.map(({ name }) => `"${name}"`).join(', ');
  const [{ kind } = { kind: 'deny' }] = calendars;
  if (kind === 'deny') return `Calendar ${names} denies launches until ${iso(until)}.`;
  const when = until === null ? 'no more' : `again from ${iso(until)} on`;
  return calendars.length === 1
    ? `Calendar ${names} allows launches ${when}.`
    : `One of the calendars ${names} allows launches ${when}.`;
}
