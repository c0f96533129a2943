import type { RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Hooks, TapAnswer } from '../../hooks/hooks.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { type LaunchFacts, launchFacts, type Launching } from './decide-launch.ts';
import { insertNew } from '../insert.ts';

/** A tap that decides about launches, in the order in which they are asked, and what it said of this one. */
export interface Gate extends Pick<TapAnswer, 'said' | 'failed' | 'denial'> {
  tap: string;
  stage: number;
  fail_mode: 'allow' | 'deny' | null;
  answer: TapAnswer['answer'] | 'not asked';
}

type Answers = ReadonlyMap<string, TapAnswer>;

export const gatesOf = (hooks: Pick<Hooks, 'list'>, answers: Answers = new Map()): Gate[] =>
  hooks
    .list()
    .filter(({ hook }) => hook === 'beforeStart')
    .flatMap(({ taps }) =>
      taps.map(({ label, stage, failMode }) => ({
        tap: label,
        stage,
        fail_mode: failMode,
        ...(answers.get(label) ?? { answer: 'not asked' as const, said: [] }),
      })),
    );

/** Keeps in the decision record of a run what its gates said. */
export async function noteGates(
  trx: Knex,
  hooks: Pick<Hooks, 'list'>,
  { id, decision_record: record }: RunRow,
  answers: Answers,
): Promise<void> {
  if (!record) return;
  const noted = { ...(record as object), gates: gatesOf(hooks, answers) };
  await trx('runs')
    .where({ id })
    // json, which holds every text as it came
    .update({ decision_record: JSON.stringify(noted) });
}

interface PreviewDeps {
  db: Knex;
  hooks: Hooks;
  keyRing: Pick<KeyRing, 'encrypt'>;
}

/** What the gates say of a launch that nobody makes: those that can say it without side effects. */
export async function previewGates(
  { db, hooks, keyRing }: PreviewDeps,
  columns: Record<string, unknown>,
  launch: Launching,
): Promise<Gate[]> {
  const asked = hooks.list().some(({ taps }) => taps.some(({ preview }) => preview));
  if (!asked) return gatesOf(hooks);
  const run = await wouldBe(db, keyRing, columns);
  return gatesOf(hooks, await hooks.previewLaunch(launchFacts(run, launch) satisfies LaunchFacts));
}

/** The row as the database would have it. */
async function wouldBe(db: Knex, keyRing: PreviewDeps['keyRing'], columns: Record<string, unknown>): Promise<RunRow> {
  const trx = await db.transaction();
  try {
    return { ...(await insertNew(trx, keyRing, { columns })), id: 0 };
  } finally {
    await trx.rollback();
  }
}
