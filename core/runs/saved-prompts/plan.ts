import type { LaunchTemplate, PlanRequest, RunPlan } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RunKinds } from '../kinds.ts';
import { notAsked } from '../prompts/not-asked.ts';

type Messages = Record<string, unknown>;

export interface Planning extends Pick<PlanRequest, 'prompts' | 'secretVariables'> {
  /** kind of the origin of the launches to come */
  origin: string;
  ip: string | null;
  /** whether all that a launch needs has to be there, or a later launch adds to it */
  ahead: 'whole' | 'part';
}

/** What a launch of the template with saved prompts would be, as its kind says; rights of nobody are asked for. */
export async function planSaved(
  kinds: RunKinds,
  db: Knex,
  template: LaunchTemplate,
  { prompts, origin, ip, ...planning }: Planning,
): Promise<Pick<RunPlan, 'errors' | 'ignored' | 'template'>> {
  const kind = kinds.ofTemplate(template.kind);
  if (!kind) return { errors: { unified_job_template: ['What this template launches is not at hand now.'] } };
  const known = new Set(kind.prompts);
  const given = Object.entries(prompts);
  const plan = await kind.plan({
    db,
    template: template.id,
    prompts: Object.fromEntries(given.filter(([name]) => known.has(name))),
    actor: null,
    authority: null,
    saved: true,
    // nothing has happened yet that a launch comes from
    origin: { kind: origin, id: null, client_ip: ip },
    ...planning,
  });
  const unknown = given.filter(([name, value]) => !known.has(name) && value !== ownOf(template, name));
  return { ...plan, ignored: { ...plan.ignored, ...Object.fromEntries(unknown) } };
}

/** Exports of schedules name the inventory of their source: what the template has anyway changes nothing. */
const ownOf = (template: LaunchTemplate, prompt: string): unknown =>
  Reflect.get(template, `${prompt}_id`) ?? Reflect.get(template, prompt);

/** As clients know the names. */
const named = (prompt: string) => (prompt === 'extra_vars' ? 'extra_data' : prompt);

/** All that is wrong with saved prompts, by field. */
export const problemsOf = ({ errors = {}, ignored }: Pick<RunPlan, 'errors' | 'ignored'>): Messages =>
  Object.fromEntries(
    Object.entries({ ...notAsked(ignored), ...errors }).map(([name, messages]) => [named(name), messages]),
  );
