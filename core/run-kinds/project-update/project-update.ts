import { field, type RunDescriptor } from '@tapline/plugin-sdk';
import { jobTypes } from '../../runs/prompts/prompts.ts';
import { sourceTypes, webhookServices } from '../../runs/choices.ts';
import { hostCounts } from '../../runs/fields.ts';
import { redactUrl } from '../../scm/url.ts';

const ro = { mode: 'ro' } as const;

const updateFields = {
  project: field.ref('project', { ...ro, column: 'template_id' }),
  organization: field.ref('organization', ro),
  job_type: field.choice(jobTypes, ro),
  job_tags: field.text(ro),
  local_path: field.string(ro),
  scm_type: field.choice(sourceTypes, ro),
  // may hold a password, so it is neither filtered nor shown as it is
  scm_url: field.string({ ...ro, filterable: false }),
  scm_branch: field.string(ro),
  scm_refspec: field.string(ro),
  scm_clean: field.boolean(ro),
  scm_track_submodules: field.boolean(ro),
  scm_delete_on_update: field.boolean(ro),
  credential: field.ref('credential', ro),
  timeout: field.integer(ro),
  scm_revision: field.string(ro),
  webhook_service: field.choice(webhookServices, ro),
  webhook_guid: field.string(ro),
  ...hostCounts,
};

export const updateDescriptor: RunDescriptor = {
  path: 'project_updates',
  label: 'Project update',
  description: 'One fetch of the source of a project.',
  fields: updateFields,
  present: (shown) => void (shown['scm_url'] = redactUrl(String(shown['scm_url']))),
};
