import { ValidationError, notFound } from '@tapline/plugin-sdk';
import type { Bus } from '../jobs/bus.ts';
import type { Settings } from '../settings/settings.ts';
import { insertRun, launcherColumns, type Launcher } from './insert-run.ts';
import { noteAnswer } from './launch-key.ts';
import { jobColumns } from './job-columns.ts';
import {
  loadCredentials,
  loadInstanceGroups,
  loadInventory,
  loadLabels,
  loadOrphan,
  loadTemplate,
  type LaunchTemplate,
} from './load.ts';
import { allPasswordsNeeded, type LaunchCredential } from './passwords.ts';
import { askFlags, readLaunchBody, type LaunchInput } from './prompt-types.ts';
import { missingReferences } from './references.ts';
import { assertPromptRights, unseen } from './prompt-rights.ts';
import { credentialProblems, effectiveCredentials, resourceProblems, sortPrompts } from './sort.ts';
import { templateVariables, type Variables } from './variables.ts';
import { startRun, type StartDeps } from './start.ts';

export interface LaunchDeps extends StartDeps {
  settings: Settings;
  bus?: Bus;
}

export interface LaunchRequest extends Launcher {
  templateId: number | null;
  /** the job that is launched again, where it has no template any more */
  orphan?: number;
  /** the launch body: prompts by key, passwords */
  prompts: Record<string, unknown>;
  /** false: no caller waits (schedule, workflow, event); then the run is stored as failed with the reasons instead of throwing */
  waiting: boolean;
  launchType?: string;
  /** the prompts were accepted once and stay so, even where the template does not ask any more (relaunch) */
  honourPrompts?: boolean;
  /** relaunch: who may run everything of this organization may repeat the prompts without rights on their objects */
  organizationId?: number | null;
  /** further columns of the run: a relaunch's limit, a callback's host, a webhook's guid */
  columns?: Record<string, unknown>;
}

export interface Launched {
  run: any;
  ignored: Record<string, any>;
}

interface Plan {
  accepted: Record<string, any>;
  ignored: Record<string, any>;
  credentials: LaunchCredential[];
  passwords: Record<string, string>;
  errors: Record<string, unknown>;
}

/** Every way to start a job template ends here (contract/jobs.md §4 and §5). */
export function createLaunch(deps: LaunchDeps) {
  const { db } = deps;

  /** @throws ValidationError with everything that is wrong at once, ApiError when a tap denies */
  async function launchTemplate(request: LaunchRequest): Promise<Launched> {
    const { templateId, orphan } = request;
    const template = templateId === null ? await loadOrphan(db, orphan!) : await loadTemplate(db, templateId);
    if (!template) throw notFound('No JobTemplate matches the given query.');
    const asked = request.honourPrompts
      ? { ...template, ...Object.fromEntries(askFlags.map((flag) => [flag, true])) }
      : template;
    const variables = await templateVariables(template);
    const input = await readLaunchBody(request.prompts, deps.settings);
    const plan = await planLaunch(deps, { template: asked, variables }, input, request);
    const failures = Object.keys(plan.errors).length > 0;
    if (failures && request.waiting) throw new ValidationError(plan.errors);
    const columns = {
      ...jobColumns(template, variables, plan.accepted),
      launch_type: request.launchType ?? 'manual',
      ...launcherColumns(request),
      ...request.columns,
    };
    if (failures) return { run: await storeRefused(deps, columns, plan), ignored: plan.ignored };
    noteAnswer({ ignored_fields: plan.ignored });
    const run = await startRun(deps, {
      ...request,
      template: templateId === null ? null : template,
      run: { columns, credentials: plan.credentials.map(({ id }) => id), passwords: plan.passwords },
    });
    return { run, ignored: plan.ignored };
  }

  return { launchTemplate, startRun: (request: Parameters<typeof startRun>[1]) => startRun(deps, request) };
}

export type LaunchService = ReturnType<typeof createLaunch>;

/** Steps 2 to 10; all complaints are collected. */
async function planLaunch(
  deps: LaunchDeps,
  { template, variables }: { template: LaunchTemplate; variables: Variables },
  { given, passwords, errors: typeErrors }: LaunchInput,
  { authority, organizationId }: LaunchRequest,
): Promise<Plan> {
  const { db, keyRing } = deps;
  const hidden = authority && organizationId === undefined ? await unseen(db, authority, template, given) : new Set();
  const named: LaunchCredential[] = (await loadCredentials(db, given['credentials'] ?? [])).filter(
    ({ id }) => !hidden.has(`credential.${id}`),
  );
  const inventory =
    given['inventory'] === undefined
      ? template.inventory
      : hidden.has(`inventory.${given['inventory']}`)
        ? null
        : await loadInventory(db, given['inventory']);
  const groups = await loadInstanceGroups(db, given['instance_groups'] ?? []);
  const instanceGroups = groups.filter((id) => !hidden.has(`instance_group.${id}`));
  const own = template.labels.map(({ id }) => id);
  const asker = organizationId === undefined ? authority : null;
  const labels = [...own, ...(await loadLabels(db, given['labels'] ?? [], asker))];
  const errors: Record<string, unknown> = {
    ...typeErrors,
    ...missingReferences(given, { credentials: named, inventory, instanceGroups, labels }),
  };
  if (Object.keys(errors).length) return { accepted: {}, ignored: {}, credentials: [], passwords, errors };

  const { accepted, ignored } = sortPrompts(given, { template, variables, credentials: named });
  if (authority) await assertPromptRights(db, authority, { template, accepted, organizationId });
  const usedInventory = accepted['inventory'] === undefined ? template.inventory : inventory;
  Object.assign(errors, resourceProblems(template, accepted, usedInventory));
  const problems = given['credentials'] ? credentialProblems(template.credentials, named) : [];
  if (problems.length) errors['credentials'] = problems;
  const credentials = accepted['credentials']
    ? effectiveCredentials(template.credentials, named)
    : template.credentials;
  const needed = allPasswordsNeeded(credentials, keyRing);
  const missing = needed.filter((name) => !passwords[name]);
  if (missing.length) errors['passwords_needed_to_start'] = missing;
  return { accepted, ignored, credentials, passwords: pick(passwords, needed), errors };
}

const pick = (passwords: Record<string, string>, needed: readonly string[]) =>
  Object.fromEntries(Object.entries(passwords).filter(([name]) => needed.includes(name)));

/** Nobody waits for the answer, so it is kept where somebody will look for it. */
async function storeRefused(
  { db, statuses, keyRing }: LaunchDeps,
  columns: Record<string, unknown>,
  { errors, credentials }: Plan,
): Promise<any> {
  const reasons = Object.entries(errors).map(
    ([key, value]) => `${key}: ${Array.isArray(value) ? value.join(' ') : String(value)}`,
  );
  return db.transaction(async (trx) => {
    const run = await insertRun(trx, keyRing, { columns, credentials: credentials.map(({ id }) => id), passwords: {} });
    return statuses.setStatus(trx, run, 'failed', {
      job_explanation: `The job could not be started. ${reasons.join(' ')}`,
    });
  });
}
