import { join } from 'node:path';
import { ValidationError, type WriteContext, type Row } from '@tapline/plugin-sdk';
import { contentsOfFolder } from '../../scm/contents.ts';
import { branchProblem } from '../../scm/url.ts';
import { limitProblem } from '../../inventory/limit.ts';
import type { Settings } from '../../settings/settings.ts';
import { checkWebhook } from '../../webhooks/check-webhook.ts';
import { expressionProblem } from '../../yaml/expressions.ts';

type JobTemplateRow = Row & {
  project_id: number | null;
  inventory_id: number | null;
  organization_id: number | null;
  host_config_key: string;
  playbook: string;
  forks: number;
  scm_branch: string;
  limit: string;
  job_tags: string;
  skip_tags: string;
};

interface ProjectRow {
  id: number;
  organization_id: number | null;
  scm_type: string;
  allow_override: boolean;
  local_path: string;
  playbook_files: string[];
}

export interface CheckDeps {
  config: { dataDir: string };
  settings: Pick<Settings, 'get'>;
}

const textRules = { limit: limitProblem, job_tags: expressionProblem, skip_tags: expressionProblem };

/** contract/jobs.md §2.4, over the row as it will be. */
export async function checkTemplate(
  { config, settings }: CheckDeps,
  context: WriteContext<JobTemplateRow>,
): Promise<void> {
  const { trx, input, before } = context;
  const row = { ...before, ...input };
  const errors: Record<string, string[]> = {};
  const refuse = (key: string, text: string) => void (errors[key] ??= []).push(text);
  const project: ProjectRow | null | undefined =
    row.project_id === null || row.project_id === undefined
      ? null
      : await trx('templates').where({ id: row.project_id, kind: 'project' }).first();
  if (!project) refuse('project', 'Job templates need a project.');
  if ((row.inventory_id ?? null) === null && !row['ask_inventory_on_launch'])
    refuse('inventory', 'Job templates need an inventory, or ask for one at launch.');
  // named by the place where it is made
  if (project && !before && input['organization_id'] != null && input['organization_id'] !== project.organization_id)
    refuse('project', 'The project belongs to another organization, and a template always to that of its project.');
  if (project) await checkProjectParts(config.dataDir, project, row, before, refuse);
  if (row.host_config_key && (row.inventory_id ?? null) === null)
    refuse('host_config_key', 'A host config key needs an inventory.');
  await checkWebhook(context, refuse);
  const maxForks = Number(settings.get('MAX_FORKS'));
  if (maxForks && Number(row.forks) > maxForks) refuse('forks', `Maximum number of forks (${maxForks}) exceeded.`);
  // what is older may break these rules, and stays until somebody changes it
  for (const [name, problemOf] of Object.entries(textRules)) {
    const text = input[name];
    const wrong = typeof text === 'string' && text !== before?.[name] ? problemOf(text) : undefined;
    if (wrong) refuse(name, wrong);
  }
  const problem = branchProblem(row.scm_branch ?? '');
  if (problem) refuse('scm_branch', problem);
  if (Object.keys(errors).length) throw new ValidationError(errors);
  // follows the project, and stays when the project goes
  if (project) input['organization_id'] = project.organization_id;
}

async function checkProjectParts(
  dataDir: string,
  project: ProjectRow,
  row: Partial<JobTemplateRow>,
  before: JobTemplateRow | undefined,
  refuse: (key: string, text: string) => void,
): Promise<void> {
  if (!project.allow_override) {
    if (row.scm_branch) refuse('scm_branch', 'The project does not allow another branch.');
    if (row.ask_scm_branch_on_launch) refuse('ask_scm_branch_on_launch', 'The project does not allow another branch.');
  }
  const { playbook } = row;
  if (!playbook) return refuse('playbook', 'A playbook is required.');
  const path = pathProblem(playbook);
  if (path) return refuse('playbook', path);
  const unchanged = before && before.playbook === playbook && before.project_id === project.id;
  if (unchanged || (project.scm_type && project.allow_override)) return;
  const playbooks = project.scm_type
    ? project.playbook_files
    : (await contentsOfFolder(join(dataDir, 'projects', project.local_path || '.none'))).playbooks;
  if (!playbooks.includes(playbook)) refuse('playbook', 'Playbook not found for project.');
}

/** A playbook is a path below the checkout, and never an option of the engine. */
export function pathProblem(playbook: string): string | null {
  if (playbook.startsWith('-')) return 'A playbook must not start with "-".';
  if (playbook.startsWith('/') || playbook.split(/[/\\]/).includes('..'))
    return 'A playbook must lie inside the project.';
  return /[\0\n\r]/.test(playbook) ? 'A playbook must not contain line breaks or NUL characters.' : null;
}
