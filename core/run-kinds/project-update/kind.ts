import type { RunKind } from '@tapline/plugin-sdk';
import { updateExplains } from './explains.ts';
import { planUpdate } from './plan.ts';
import { prepareUpdate, type PrepareDeps, secretsOfUpdate } from './prepare-update.ts';
import { projectResource, type ProjectServices } from './project.ts';
import { updateDescriptor } from './project-update.ts';
import { projectUpdateAccess } from './rules.ts';
import { takeOver } from './take-over.ts';

export interface ProjectUpdateServices extends Omit<ProjectServices, 'config' | 'settings' | 'keyRing'>, PrepareDeps {}

/** A fetch of the source of a project into its cache. */
export const projectUpdateKind = (services: ProjectUpdateServices): RunKind => ({
  kind: 'project_update',
  template: 'project',
  needs: 'engine',
  noted: false,
  notifies: { page: 'project' },
  graph: 'scm_update',
  hidesUrls: true,
  access: projectUpdateAccess,
  resource: updateDescriptor,
  resources: [projectResource(services)],
  plan: planUpdate,
  prepare: (run) => prepareUpdate(services, run),
  secretsOf: (run) => secretsOfUpdate(services, run),
  finish: (ended) => takeOver(services, ended),
  tells: ({ project_id: project, template_id: template }) => ({ project_id: project ?? template }),
  explains: updateExplains,
});
