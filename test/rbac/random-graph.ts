import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type RoleType, roleDefinitions } from '../../core/rbac/definitions.ts';
import { giveCredentialToTeam } from '../../core/rbac/roles.ts';
import { drawParts } from './random-parts.ts';
import { world } from './world.ts';

/** Small, seeded, good enough for drawing graphs (mulberry32). */
export function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    chance: (p: number) => next() < p,
    below: (n: number) => Math.floor(next() * n),
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!,
  };
}

/** 0 unless TEST_SEED is set: the graphs of every run, else others. */
export const testSeed = Number(process.env['TEST_SEED'] ?? 0);

export type Random = ReturnType<typeof randomFrom>;

/** A part of the world of its own: nothing in it is tied to what lies outside. */
export interface Island {
  seed: number;
  people: Actor[];
  /** by table: the last id before this island was drawn, and its own last one */
  ids: [before: Record<string, number>, last: Record<string, number>];
}

/**
 * Organizations, records with and without an organization, people and grants at random, changed again at random. Superusers
 * and auditors see all islands, and are seen from them: one in five has them.
 */
export async function drawIsland(db: Knex, seed: number): Promise<Omit<Island, 'ids'>> {
  const random = randomFrom(seed + testSeed * 1_000_003);
  const prefix = `${seed}. `;
  const make = world(db, prefix);
  const organizations = [await make.organization(), await make.organization()];
  const some = () => (random.chance(0.15) ? null : random.pick(organizations));
  const teams = [
    await make.team(organizations[0]),
    await make.team(organizations[1]),
    await make.team(random.pick(organizations)),
  ];
  const inventories = [await make.inventory(some()), await make.inventory(some())];
  const projects = [await make.project(some()), await make.project(some())];
  const template = () =>
    make.jobTemplate(some(), {
      project_id: random.pick(projects).id,
      inventory_id: random.chance(0.3) ? null : random.pick(inventories).id,
    });
  const templates = [await template(), await template()];
  const credentials = [await make.credential(some()), await make.credential(some())];
  const group = await make.instanceGroup();
  const records: [RoleType, any][] = [
    ...organizations.map((row) => ['organization', row] as [RoleType, any]),
    ...teams.map((row) => ['team', row] as [RoleType, any]),
    ...inventories.map((row) => ['inventory', row] as [RoleType, any]),
    ...projects.map((row) => ['project', row] as [RoleType, any]),
    ...templates.map((row) => ['job_template', row] as [RoleType, any]),
    ['workflow_job_template', await make.workflow(some())],
    ...credentials.map((row) => ['credential', row] as [RoleType, any]),
    ['instance_group', group],
  ];
  const flags = seed % 5 === 1 ? [{ is_superuser: true }, { is_system_auditor: true }] : [{}, {}];
  const people: Actor[] = [];
  for (const flag of [...flags, {}, {}, {}, {}]) people.push(await make.user(flag));

  const grant = async (take: boolean) => {
    const [type, row] = random.pick(records);
    const field = random.pick(Object.keys(roleDefinitions[type]));
    if (random.chance(0.5)) await (take ? make.take : make.give)(type, row, field, random.pick(people));
    // who takes part in an organization is a person
    else if (!roleDefinitions[type][field]!.userOnly)
      await (take ? make.takeTeam : make.giveTeam)(type, row, field, random.pick(teams));
  };
  for (let i = 4 + random.below(20); i > 0; i--) await grant(random.chance(0.15));
  // teams inside teams deserve more than chance gives them
  if (random.chance(0.4))
    await make.giveTeam('team', random.pick(teams), random.pick(['member_role', 'admin_role']), random.pick(teams));
  if (random.chance(0.5))
    await make.give('team', random.pick(teams), random.pick(['member_role', 'admin_role']), random.pick(people));
  if (random.chance(0.3))
    await giveCredentialToTeam(db, records.find(([type]) => type === 'credential')![1].id, random.pick(teams).id);
  await drawParts(db, {
    random,
    prefix,
    organizations,
    inventories,
    projects,
    templates,
    credentials,
    group,
    people,
    records,
  });
  if (random.chance(0.5))
    await db('templates')
      .where('id', random.pick([...projects, ...templates]).id)
      .update({ organization_id: some()?.id ?? null });
  if (random.chance(0.3))
    await db('inventories')
      .where('id', random.pick(inventories).id)
      .update({ organization_id: some()?.id ?? null });
  if (random.chance(0.15)) await db('teams').where('id', random.pick(teams).id).delete();
  if (random.chance(0.1)) await db('organizations').where('id', random.pick(organizations).id).delete();
  return { seed, people };
}
