import { type Actor, ApiError, type Call, type RunKind, ValidationError } from '@tapline/plugin-sdk';
import { randomUUID } from 'node:crypto';
import { listsOfSaved, savedPromptNames } from '../../../runs/saved-prompts/fields.ts';
import { shownAnswers, sortAnswers } from '../../../runs/saved-prompts/answers.ts';
import { promptsOf } from '../../../runs/prompts/prompts.ts';
import { readLaunchBody } from '../../../runs/prompts/read.ts';
import { askedBy } from '../../../surveys/survey.ts';
import { mergeVariables, type Variables } from '../../../yaml/variables.ts';
import { storableDeep } from '../../../descriptors/read/scalar.ts';
import type { WorkflowServices } from '../services.ts';
import { launchable, type Launchable } from './launchable.ts';

/** A job of a bulk launch, as the node that launches it keeps it. */
export interface BulkNode {
  identifier: string;
  template: number;
  /** by name, read */
  prompts: Record<string, unknown>;
  extra_data: Variables;
  secret: Variables;
}

type Errors = Record<string, unknown>;
type Sent = Record<string, unknown>;

const names = [...savedPromptNames.filter((name) => name !== 'extra_data'), ...listsOfSaved.map(({ name }) => name)];
const longestIdentifier = 512;

/**
 * The jobs of a bulk launch, all of them good. What a template does not ask for is left out.
 * @throws ValidationError that tells for each of the jobs what is wrong with it
 */
export async function readJobs(
  services: WorkflowServices,
  { actor, ip }: Call,
  sent: readonly unknown[],
  common: Variables,
): Promise<BulkNode[]> {
  const shapes = sent.map(shapeOf);
  assertGood(shapes.map(({ errors }) => errors));
  const jobs = shapes.map(({ job }) => job!);
  assertNoneTwice(jobs.map(({ identifier }) => identifier));
  const templates = await launchable(
    services,
    actor,
    jobs.map(({ template }) => template),
  );
  assertGood(
    jobs.map(({ template }) =>
      templates.has(template)
        ? {}
        : { unified_job_template: [`Invalid pk "${template}" - there is none that you may launch in bulk.`] },
    ),
  );
  // many are alike but for their template, or altogether
  const judged = new Map<string, Promise<Judged>>();
  const each: Judged[] = [];
  for (const { template, prompts, variables } of jobs) {
    const asked = { ...prompts, extra_vars: mergeVariables(variables, common) };
    const key = JSON.stringify([template, asked]);
    if (!judged.has(key)) judged.set(key, judge(services, { actor, ip, one: templates.get(template)!, asked }));
    // one after the other: a launch of many must not take every connection
    // oxlint-disable-next-line no-await-in-loop
    each.push(await judged.get(key)!);
  }
  assertGood(each.map(({ errors }) => errors));
  return jobs.map(({ identifier, template }, index) => ({ identifier, template, ...each[index]!.kept! }));
}

function assertGood(errors: readonly Errors[]): void {
  if (errors.some((one) => Object.keys(one).length)) throw new ValidationError({ jobs: errors as never });
}

function assertNoneTwice(identifiers: readonly string[]): void {
  const twice = identifiers.filter((one, index) => identifiers.indexOf(one) !== index);
  if (twice.length)
    throw ValidationError.field(
      '__all__',
      `Jobs need identifiers of their own; given twice: ${twice.slice(0, 20).join(', ')}`,
    );
}

interface Shape {
  identifier: string;
  template: number;
  prompts: Sent;
  variables: Variables;
}

function shapeOf(one: unknown): { job?: Shape; errors: Errors } {
  if (typeof one !== 'object' || one === null || Array.isArray(one))
    return { errors: { non_field_errors: ['A job is an object with at least a unified_job_template.'] } };
  const body = one as Sent;
  const errors: Errors = {};
  const { unified_job_template: template, identifier = randomUUID(), extra_data: variables } = body;
  if (template === undefined) errors['unified_job_template'] = ['This field is required.'];
  else if (!Number.isSafeInteger(template) || Number(template) < 1)
    errors['unified_job_template'] = ['Incorrect type. Expected the id of a template.'];
  if (typeof identifier !== 'string' || !identifier || identifier.length > longestIdentifier)
    errors['identifier'] = [`Must be a text of ${longestIdentifier} characters at most, and not blank.`];
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables)))
    errors['extra_data'] = ['Must be an object of variables.'];
  if (!storableDeep(body)) errors['non_field_errors'] = ['Null characters and unpaired surrogates are not allowed.'];
  if (Object.keys(errors).length) return { errors };
  // null says that nothing is given
  const prompts = Object.fromEntries(names.filter((name) => body[name] != null).map((name) => [name, body[name]]));
  return {
    job: {
      identifier: String(identifier),
      template: Number(template),
      prompts,
      variables: (variables ?? {}) as Variables,
    },
    errors,
  };
}

type Kept = Pick<BulkNode, 'prompts' | 'extra_data' | 'secret'>;

interface Judged {
  errors: Errors;
  kept?: Kept;
}

interface Judging {
  actor: Actor | null;
  ip: string | null;
  one: Launchable;
  asked: Sent & { extra_vars: Variables };
}

/** What the kind of its template says of a launch by the caller. */
async function judge(services: WorkflowServices, { actor, ip, one, asked }: Judging): Promise<Judged> {
  const { kind, template } = one;
  const prompts = Object.fromEntries(
    Object.entries(asked).filter(
      ([name, value]) =>
        kind.prompts?.includes(name) && !(name === 'extra_vars' && !Object.keys(value as object).length),
    ),
  );
  if (!Object.keys(prompts).length) return { errors: {}, kept: { prompts: {}, extra_data: {}, secret: {} } };
  const { given } = await readLaunchBody(promptsOf(kind.prompts), prompts, services.settings);
  const { open, secret, missing } = sortAnswers(asked.extra_vars, {}, askedBy(template));
  if (missing.length) return { errors: { extra_data: [`There is no answer to keep for: ${missing.join(', ')}.`] } };
  const plan = await planOf(services, { actor, ip, kind, id: template.id, prompts, open, secret });
  if ('refused' in plan) return { errors: { non_field_errors: [plan.refused] } };
  const { errors = {}, ignored = {} } = plan;
  if (Object.keys(errors).length) {
    const { extra_vars: ofVariables, ...rest } = errors as Errors;
    return { errors: ofVariables === undefined ? rest : { ...rest, extra_data: ofVariables } };
  }
  const dropped = new Set(Object.keys((ignored['extra_vars'] ?? {}) as object));
  const taken = Object.fromEntries(Object.entries(open).filter(([name]) => !dropped.has(name)));
  return {
    errors: {},
    kept: {
      prompts: Object.fromEntries(
        Object.entries(given).filter(([name]) => name !== 'extra_vars' && !Object.hasOwn(ignored, name)),
      ),
      extra_data: shownAnswers({ open: taken, secret }),
      secret,
    },
  };
}

interface Planning {
  actor: Actor | null;
  ip: string | null;
  kind: RunKind;
  id: number;
  prompts: Sent;
  open: Variables;
  secret: Variables;
}

/** Every refusal is 400, as clients know it. */
async function planOf({ db }: WorkflowServices, { actor, ip, kind, id, prompts, open, secret }: Planning) {
  try {
    return await kind.plan({
      db,
      template: id,
      prompts: { ...prompts, ...('extra_vars' in prompts ? { extra_vars: open } : {}) },
      secretVariables: secret,
      actor,
      authority: actor,
      saved: true,
      ahead: 'part',
      origin: { kind: 'workflow', id: null, client_ip: ip },
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { refused: error.message };
  }
}
